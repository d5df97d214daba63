"""The rules of authority, and the inbox as the same rules in SQL."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from approvals import delegation, facts, routing
from approvals.errors import AlreadyDecided, Expired
from approvals.models import Approval
from approvals.rules import Person, Question, refusal
from taskboard.errors import NotAllowed, WrongState
from taskboard.models import Task
from taskboard.outcomes import Policy
from tests.approvals.answers import answer
from tests.conftest import make_person
from tests.factories import make_approval

NOW = datetime(2026, 9, 17, 12, tzinfo=UTC)
PERSON = Person(id=7, name="manager", active=True, may_decide=True, groups=frozenset({"Managers"}))
QUESTION = Question(
    is_open=True, held=False, closed_how="", expires_at=NOW + timedelta(days=1), group="Managers",
    starter_may_decide=False, starter_id=1, starter_name="ops", voters=frozenset(),
)  # fmt: skip


def test_a_member_of_the_group_may_decide() -> None:
    assert refusal(QUESTION, PERSON, NOW) is None


@pytest.mark.parametrize(
    ("question", "person", "kind"),
    [
        ({"is_open": False, "closed_how": "ann approved"}, {}, AlreadyDecided),
        ({"held": True}, {}, WrongState),
        ({"expires_at": NOW}, {}, Expired),
        ({}, {"active": False}, NotAllowed),
        ({}, {"may_decide": False}, NotAllowed),
        ({}, {"groups": frozenset({"Operators", "Administrators"})}, NotAllowed),
        ({"starter_id": 7}, {}, NotAllowed),
        ({"starter_id": None, "starter_name": "manager"}, {}, NotAllowed),
        ({"voters": frozenset({7})}, {}, AlreadyDecided),
    ],
)
def test_everybody_else_is_refused_with_a_sentence(question: dict, person: dict, kind: type) -> None:
    refused = refusal(replace(QUESTION, **question), replace(PERSON, **person), NOW)
    assert type(refused) is kind
    assert refused
    assert refused.message


def test_a_namesake_of_a_starter_who_is_known_by_id_may_decide() -> None:
    assert refusal(replace(QUESTION, starter_id=1, starter_name="manager"), PERSON, NOW) is None


def test_the_inbox_holds_exactly_what_the_rules_allow(manager: User, operator: User, admin: User) -> None:
    second = make_person("second", "Managers")
    both = make_person("both", "Managers")
    both.groups.add(*admin.groups.all())
    make_approval(created_by=operator)
    make_approval(created_by=manager)
    make_approval(created_by=manager, policy=Policy(starter_may_decide=True))
    make_approval(created_by=operator, policy=Policy(group="Administrators"))
    make_approval(created_by=second)
    for voter in (manager, second):
        answer(make_approval(created_by=None, policy=Policy(needed=2)), voter)
    overdue, held, closed, imported = (make_approval() for _ in range(4))
    Task.objects.filter(pk=imported.task_id).update(created_by=None, created_by_name="manager")
    Approval.objects.filter(pk=overdue.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    Approval.objects.filter(pk=held.pk).update(held=True)
    Approval.objects.filter(pk=closed.pk).update(status="withdrawn")
    routing.pass_on_to_person(make_approval().pk, manager, second, "she knows")
    routing.pass_on_to_group(make_approval().pk, second, "Administrators", "they know")
    routing.pass_on_to_group(make_approval().pk, both, "Administrators", "the others know")
    delegation.go_away(second, admin, timezone.now() + timedelta(days=1), by=second)
    now = timezone.now()
    for user in (manager, second, both, operator, admin):
        person = facts.person_of(user.pk)
        asked = Approval.objects.select_related("task", "step").prefetch_related("votes")
        allowed = {a.pk for a in asked if refusal(facts.question_of(a), person, now) is None}
        assert set(Approval.objects.inbox_of(user, now).values_list("pk", flat=True)) == allowed, user
