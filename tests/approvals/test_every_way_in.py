"""Each rule, at each way in: page, command, many at once. There is no other, also not in the admin."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from approvals import bulk, routing
from approvals.models import Approval, Outcome, Vote
from taskboard.errors import TaskboardError
from taskboard.models import Step
from taskboard.outcomes import Policy
from tests.approvals.answers import answer
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

pytestmark = pytest.mark.django_db


def page(asked: Approval, who: User) -> None:
    said = {"outcome": "approve", "digest": asked.payload_sha256}
    logged_in(who).post(reverse("approvals:decide", args=[asked.pk]), said)


def command(asked: Approval, who: User) -> None:
    try:
        call_command("decide", str(asked.pk), "approve", "--as", who.get_username(), "--json")
    except CommandError:
        return


def many(asked: Approval, who: User) -> None:
    """Chosen by somebody who may, begun, and the rule broken before the worker comes to it."""
    try:
        chosen = bulk.choose(who, Outcome.APPROVE, Approval.objects.filter(pk=asked.pk))  # type: ignore[arg-type]
        bulk.begin(chosen.pk, who)
        bulk.carry_on(chosen.pk)
    except TaskboardError:
        return


def overdue(asked: Approval, who: User) -> None:
    Approval.objects.filter(pk=asked.pk).update(expires_at=timezone.now() - timedelta(minutes=5))


def answered(asked: Approval, who: User) -> None:
    answer(asked, make_person("first", "Managers"), "reject", "no")


def voted(asked: Approval, who: User) -> None:
    answer(asked, who)


def held(asked: Approval, who: User) -> None:
    Approval.objects.filter(pk=asked.pk).update(held=True)


def changed(asked: Approval, who: User) -> None:
    Approval.objects.filter(pk=asked.pk).update(payload={"pay": 10_000, "to": "B"})


def another_group(asked: Approval, who: User) -> None:
    who.groups.clear()
    who.groups.add(Group.objects.get(name="Administrators"))


def no_right(asked: Approval, who: User) -> None:
    Group.objects.get(name="Managers").permissions.clear()


def inactive(asked: Approval, who: User) -> None:
    User.objects.filter(pk=who.pk).update(is_active=False)


def starter(asked: Approval, who: User) -> None:
    type(asked.task).objects.filter(pk=asked.task_id).update(created_by=who)


def passed_on(asked: Approval, who: User) -> None:
    routing.pass_on_to_person(asked.pk, who, make_person("third", "Managers"), "she knows")


def too_long(asked: Approval, who: User) -> None:
    Approval.objects.filter(pk=asked.pk).update(after="line\n" * 2000)


def bare(asked: Approval, who: User) -> None:
    Approval.objects.filter(pk=asked.pk).update(consequence="", before="", after="")


RULES = [
    overdue, answered, voted, held, changed, another_group, no_right, inactive, starter, passed_on, too_long, bare,
]  # fmt: skip


@pytest.mark.parametrize(
    ("way", "broken"),
    [(way, broken) for broken in RULES for way in (page, command, many) if (way, broken) != (command, bare)],
)
def test_what_a_rule_refuses_is_refused_at_every_way_in(
    manager: User, way: Callable[..., None], broken: Callable[..., None]
) -> None:
    asked = make_approval(policy=Policy(needed=2) if broken is voted else None)
    broken(asked, manager)
    votes = Vote.objects.count()
    way(asked, manager)
    asked.refresh_from_db()
    assert Vote.objects.count() == votes
    assert asked.status in ("open", "void", "rejected")
    assert asked.step
    assert Step.objects.get(pk=asked.step_id).status != "started"


@pytest.mark.parametrize("way", [page, command, many])
def test_what_the_rules_allow_is_done_at_every_way_in(manager: User, way: Callable[..., None]) -> None:
    asked = make_approval()
    way(asked, manager)
    asked.refresh_from_db()
    assert (asked.status, asked.decided_by_name, asked.decided_with) == (
        "approved", "manager", "member of Managers",
    )  # fmt: skip


def test_a_command_names_one_question_and_so_confirms_a_bare_one(manager: User) -> None:
    asked = make_approval(consequence="")
    command(asked, manager)
    asked.refresh_from_db()
    assert asked.status == "approved"


@pytest.mark.parametrize("way", [page, command, many])
def test_only_answers_of_a_page_can_be_taken_back(manager: User, way: Callable[..., None]) -> None:
    asked = make_approval()
    way(asked, manager)
    asked.refresh_from_db()
    assert (asked.hand_over_at is not None) == (way is page)


def test_the_admin_shows_questions_and_decides_nothing(admin: User) -> None:
    asked = make_approval(policy=Policy(group="Administrators", needed=2))
    answer(asked, make_person("first", "Administrators"))
    client: Any = logged_in(admin)
    for model, row in (("approval", asked.pk), ("vote", Vote.objects.get().pk)):
        listed = f"/admin/approvals/{model}/"
        assert client.get(f"{listed}{row}/change/").status_code == 200
        assert client.post(f"{listed}add/", {}).status_code == 403
        assert client.post(f"{listed}{row}/change/", {"status": "approved"}).status_code == 403
        assert client.post(f"{listed}{row}/delete/", {"post": "yes"}).status_code == 403
        client.post(listed, {"action": "delete_selected", "_selected_action": [str(row)], "post": "yes"})
    asked.refresh_from_db()
    assert (asked.status, asked.votes.count()) == ("open", 1)
