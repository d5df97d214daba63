"""A question changes hands: to a person, to a group, to a substitute; and it can be commented or withdrawn."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from approvals import decisions, delegation, facts, resumer, routing
from approvals.errors import AlreadyDecided, ReasonMissing
from approvals.models import Absence, Approval, Event
from approvals.rules import refusal
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import Checkpoint, Kind, Task
from taskboard.outcomes import Policy
from taskboard.recount import differences
from tests.approvals.answers import answer, sweep
from tests.conftest import make_person
from tests.factories import make_approval


@pytest.fixture
def second(manager: User) -> User:
    return make_person("second", "Managers")


def later(**length: int) -> Any:
    return timezone.now() + timedelta(**length)


def inbox(user: User) -> set[int]:
    return set(Approval.objects.inbox_of(user, timezone.now()).values_list("pk", flat=True))


def test_only_the_person_it_went_to_answers(manager: User, second: User) -> None:
    asked = make_approval()
    third = make_person("third", "Managers")
    routing.pass_on_to_person(asked.pk, manager, second, "She knows this customer")
    for person in (manager, third):
        with pytest.raises(NotAllowed):
            answer(asked, person)
        assert inbox(person) == set()
    assert inbox(second) == {asked.pk}
    assert answer(asked, second).decided_with == "passed on to second"


def test_the_trail_says_from_whom_to_whom_and_why(manager: User, second: User) -> None:
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "why not")
    event = Event.objects.get(approval=asked)
    assert (event.by_name, event.text, event.data) == (
        "manager", "why not", {"from_whom": "Managers", "to_whom": "second"},
    )  # fmt: skip
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.PERSON)
    assert (row.data["did"], row.data["approval"]) == ("pass on", asked.pk)


def test_the_deadline_stays(manager: User, second: User) -> None:
    asked = make_approval()
    was = asked.expires_at
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    asked.refresh_from_db()
    assert asked.expires_at == was


def test_an_administrator_moves_what_is_stuck_and_cannot_decide_it_then(admin: User, manager: User) -> None:
    asked = make_approval(policy=Policy(group="Nobody"))
    routing.pass_on_to_group(asked.pk, admin, "Administrators", "nobody is there")
    with pytest.raises(NotAllowed, match="You passed this question on"):
        answer(asked, admin)
    routing.pass_on_to_group(asked.pk, admin, "Managers", "they know")
    assert answer(asked, manager).status == "approved"


@pytest.mark.parametrize("to", ["", "Nowhere", "Operators"])
def test_a_group_that_cannot_decide_gets_nothing(manager: User, operator: User, to: str) -> None:
    with pytest.raises(BadInput):
        routing.pass_on_to_group(make_approval().pk, manager, to, "because")


def test_a_person_who_could_not_decide_gets_nothing(manager: User, operator: User, second: User) -> None:
    with pytest.raises(BadInput, match="second could not answer it: You started this task"):
        routing.pass_on_to_person(make_approval(created_by=second).pk, manager, second, "because")
    with pytest.raises(BadInput, match="with you already"):
        routing.pass_on_to_person(make_approval().pk, manager, manager, "because")
    with pytest.raises(BadInput, match="ops could not answer it"):
        routing.pass_on_to_person(make_approval().pk, manager, operator, "because")


def test_the_starter_does_not_choose_who_decides(manager: User, second: User) -> None:
    with pytest.raises(NotAllowed, match="somebody else has to say"):
        routing.pass_on_to_person(make_approval(created_by=manager).pk, manager, second, "because")


def test_it_needs_a_reason_and_leaves_all_as_it_was_without(manager: User, second: User) -> None:
    asked = make_approval()
    with pytest.raises(ReasonMissing):
        routing.pass_on_to_person(asked.pk, manager, second, " ")
    assert inbox(second) == inbox(manager) == {asked.pk}


def test_a_substitute_answers_until_the_other_is_back(manager: User, admin: User) -> None:
    first, asked = make_approval(), make_approval()
    with pytest.raises(NotAllowed):
        answer(first, admin)
    away = delegation.go_away(manager, admin, later(days=3), by=manager)
    assert inbox(admin) == {first.pk, asked.pk}
    assert answer(first, admin).decided_with == "in place of manager, member of Managers"
    delegation.end(away.pk, by=manager)
    with pytest.raises(NotAllowed):
        answer(asked, admin)
    assert inbox(admin) == set()


@pytest.mark.parametrize("loss", ["over", "not yet", "inactive", "right", "started", "answered"])
def test_nobody_gives_more_than_they_have(manager: User, admin: User, loss: str) -> None:
    asked = make_approval(created_by=manager if loss == "started" else None, policy=Policy(needed=2))
    delegation.go_away(manager, admin, later(days=3), by=manager)
    if loss == "over":
        Absence.objects.update(until=timezone.now())
    elif loss == "not yet":
        Absence.objects.update(since=later(hours=1))
    elif loss == "inactive":
        User.objects.filter(pk=manager.pk).update(is_active=False)
    elif loss == "right":
        Group.objects.get(name="Managers").permissions.clear()
    elif loss == "answered":
        answer(asked, manager)
    assert inbox(admin) == set()
    asked.refresh_from_db()
    assert refusal(facts.question_of(asked), facts.person_of(admin.pk), timezone.now())


def test_a_substitute_who_started_the_task_decides_nothing_of_it(manager: User, second: User) -> None:
    asked = make_approval(created_by=second)
    delegation.go_away(manager, second, later(days=3), by=manager)
    with pytest.raises(NotAllowed, match="You started this task"):
        answer(asked, second)


def test_an_absence_is_refused_with_a_sentence(manager: User, operator: User, second: User) -> None:
    for substitute, until, by, kind in (
        (second, later(days=-1), manager, BadInput), (manager, later(days=1), manager, BadInput),
        (operator, later(days=1), manager, BadInput), (second, later(days=1), second, NotAllowed),
    ):  # fmt: skip
        with pytest.raises(kind):
            delegation.go_away(manager, substitute, until, by=by)
    assert not Absence.objects.exists()


def test_a_comment_decides_nothing(manager: User, operator: User, outsider: User) -> None:
    asked = make_approval()
    assert routing.comment(asked.pk, operator, "Has anybody <asked> legal?").by_name == "ops"
    asked.refresh_from_db()
    assert (asked.status, asked.votes.count()) == ("open", 0)
    with pytest.raises(NotAllowed):
        routing.comment(asked.pk, outsider, "hello")
    with pytest.raises(ReasonMissing):
        routing.comment(asked.pk, operator, "")


@pytest.mark.parametrize("who", ["starter", "operator"])
def test_the_requester_and_operators_withdraw(manager: User, operator: User, who: str) -> None:
    asked = make_approval(created_by=manager)
    decisions.withdraw_one(asked.pk, manager if who == "starter" else operator, "not needed")
    asked.refresh_from_db()
    assert asked.step
    assert (asked.status, asked.step.status, asked.step.item.status) == ("withdrawn", "rejected", "rejected")
    assert Task.objects.get(pk=asked.task_id).status == "completed"
    assert [text for text in differences(asked.task) if "pay" in text] == []
    with pytest.raises(AlreadyDecided, match="withdrew the question on"):
        answer(asked, make_person("late", "Managers"))


def test_others_do_not_withdraw(manager: User, second: User) -> None:
    with pytest.raises(NotAllowed, match="Only the one who started"):
        decisions.withdraw_one(make_approval(created_by=manager).pk, second, "because")


def test_an_operator_hands_over_what_nobody_picks_up(manager: User, operator: User) -> None:
    asked = answer(make_approval(), manager)
    with pytest.raises(NotAllowed):
        resumer.kick(asked.pk, manager)
    assert resumer.kick(asked.pk, operator)
    asked.refresh_from_db()
    assert asked.step
    assert (asked.step.status, asked.picked_up_at is not None, sweep()) == ("pending", True, 0)
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.PERSON)
    assert (row.actor, row.data["did"]) == ("ops", "kick decision")


def test_what_several_have_to_answer_goes_to_no_single_person(manager: User, second: User) -> None:
    asked = make_approval(policy=Policy(needed=2))
    with pytest.raises(BadInput, match="pass it on to a group"):
        routing.pass_on_to_person(asked.pk, manager, second, "she knows")


def test_an_answer_that_can_still_be_taken_back_is_not_handed_over_by_hand(
    manager: User, operator: User
) -> None:
    asked = answer(make_approval(), manager, undo_seconds=60)
    with pytest.raises(WrongState, match="can still be taken back"):
        resumer.kick(asked.pk, operator)
