"""An answer from a page can be taken back for a moment; then it is handed over."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import decisions, resumer
from approvals.errors import AlreadyDecided
from approvals.models import Approval, Event, Vote
from taskboard.errors import NotAllowed, WrongState
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind, Step
from tests.approvals.answers import answer, sweep
from tests.conftest import logged_in, make_person
from tests.factories import make_approval


@pytest.fixture
def answered(manager: User) -> Approval:
    return answer(make_approval(editable=("pay",)), manager, edited={"pay": 90}, undo_seconds=5)


def over(asked: Approval) -> None:
    Approval.objects.filter(pk=asked.pk).update(hand_over_at=timezone.now() - timedelta(seconds=1))


def test_until_then_neither_resumer_nor_sweep_hands_it_over(answered: Approval) -> None:
    assert not resumer.pick_up(answered.pk)
    assert sweep() == 0
    over(answered)
    assert sweep() == 1
    answered.refresh_from_db()
    assert answered.step
    assert answered.step.status == "pending"


def test_it_does_not_count_as_undelivered_meanwhile(answered: Approval) -> None:
    assert gate().undelivered(timezone.now()) == (0, None)
    over(answered)
    answered.refresh_from_db()
    assert gate().undelivered(timezone.now()) == (1, answered.hand_over_at)


def test_taken_back_it_is_open_as_it_was(answered: Approval, manager: User) -> None:
    decisions.take_back(answered.pk, manager)
    answered.refresh_from_db()
    assert (answered.status, answered.verdict, answered.decided_at, answered.decided_by_name) == (
        "open", "", None, "",
    )  # fmt: skip
    assert (answered.decided_payload, answered.hand_over_at, answered.closed_at) == (None, None, None)
    over(answered)
    assert sweep() == 0
    assert answer(answered, manager, "reject", "no").status == "rejected"


def test_the_trail_keeps_what_was_taken_back(answered: Approval, manager: User) -> None:
    decisions.take_back(answered.pk, manager)
    row = Checkpoint.objects.filter(task=answered.task, kind=Kind.PERSON).get()
    assert (row.actor, row.data["did"], row.data["outcome"]) == ("manager", "take back answer", "approve")
    assert Event.objects.get(approval=answered).what == Event.What.TAKEN_BACK
    assert [vote.counts for vote in Vote.objects.all()] == [False]


def test_once_handed_over_it_stays(answered: Approval, manager: User) -> None:
    over(answered)
    sweep()
    with pytest.raises(WrongState, match="handed over already"):
        decisions.take_back(answered.pk, manager)


def test_nobody_else_takes_it_back(answered: Approval) -> None:
    with pytest.raises(NotAllowed, match="Only the person who answered"):
        decisions.take_back(answered.pk, make_person("other", "Managers"))


def test_without_the_pause_it_is_for_good(manager: User) -> None:
    asked = answer(make_approval(), manager)
    with pytest.raises(WrongState, match="for good"):
        decisions.take_back(asked.pk, manager)


def test_an_answer_to_a_step_that_went_on_meanwhile_stays(answered: Approval, manager: User) -> None:
    Step.objects.filter(pk=answered.step_id).update(status="cancelled")
    with pytest.raises(WrongState, match="cannot be taken back"):
        decisions.take_back(answered.pk, manager)


def test_twice_is_once(answered: Approval, manager: User) -> None:
    decisions.take_back(answered.pk, manager)
    with pytest.raises(WrongState):
        decisions.take_back(answered.pk, manager)


def test_card_and_record_say_how_many_seconds_are_left(answered: Approval, manager: User) -> None:
    for address in (answered.get_absolute_url(), reverse("approvals:question", args=[answered.pk])):
        shown = logged_in(manager).get(address).content.decode()
        assert re.search(r"can still be taken back for [1-5] seconds?, until <time", shown), address
        assert "in a moment" not in shown.split("taken back for")[1][:200]


@pytest.mark.parametrize("seconds", [0, 7])
def test_a_page_gives_as_much_time_as_is_set(manager: User, settings: object, seconds: int) -> None:
    settings.APPROVALS_UNDO_SECONDS = seconds  # type: ignore[attr-defined]
    asked = make_approval()
    said = {"outcome": "approve", "digest": asked.payload_sha256}
    logged_in(manager).post(f"/approvals/{asked.pk}/decide", said)
    asked.refresh_from_db()
    assert asked.decided_at
    wanted = asked.decided_at + timedelta(seconds=seconds) if seconds else None
    assert asked.hand_over_at == wanted


def test_the_next_one_is_told_who_was_first_meanwhile(answered: Approval) -> None:
    with pytest.raises(AlreadyDecided, match="manager approved this on"):
        answer(answered, make_person("other", "Managers"))
