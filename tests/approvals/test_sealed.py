"""What runs is what was approved, and names outlive their accounts."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals.cards.course import course_of
from approvals.errors import Changed
from approvals.models import Approval, Event, Vote
from taskboard.engine.work import until_idle
from taskboard.errors import BadInput
from taskboard.models import Checkpoint, Step
from taskboard.outcomes import Policy
from taskboard.seal import sha256_of
from taskboard.start import start_task
from tests import approval_workflows  # noqa: F401 registers them
from tests.approvals.answers import answer, sweep
from tests.factories import make_approval
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asked(operator: User) -> Approval:
    """To pay 100, asked by a workflow."""
    task = start_task("priced", {"items": 1}, user=operator)
    until_idle(task.pk)
    return Approval.objects.get(task=task)


def run(asked: Approval) -> list[str]:
    sweep()
    until_idle(asked.task_id)
    return World().texts()


def test_an_edited_action_runs_as_it_was_edited(asked: Approval, manager: User) -> None:
    decided = answer(asked, manager, edited={"pay": 90})
    assert run(asked) == ["{'pay': 90, 'note': 'for the fix'}"]
    assert (decided.payload["pay"], decided.decided_payload and decided.decided_payload["pay"]) == (100, 90)


@pytest.mark.parametrize(
    ("edited", "sentence"),
    [
        ({"pay": 501}, "At most 500 can be paid at once."),
        ({"pay": "90"}, "same kind as before: int"),
        ({"note": 5}, "same kind as before: str"),
        ({"to": "me"}, "cannot be changed in a decision"),
        ({"note": "x" * 20_001}, "at most 20000 characters"),
    ],
)
def test_an_edit_that_cannot_be_done_is_refused(
    asked: Approval, manager: User, edited: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        answer(asked, manager, edited=edited)
    asked.refresh_from_db()
    assert (asked.status, Vote.objects.count()) == ("open", 0)


def test_an_action_changed_after_the_page_was_opened_is_void(asked: Approval, manager: User) -> None:
    Approval.objects.update(payload={"pay": 10_000, "note": "for the fix"})
    with pytest.raises(Changed):
        answer(asked, manager)
    assert run(asked) == []
    assert Approval.objects.filter(status="open").get().payload["pay"] == 100


@pytest.mark.parametrize("where", ["asked", "decided", "step", "step and digest"])
def test_an_action_changed_after_the_answer_never_runs(asked: Approval, manager: User, where: str) -> None:
    forged = {"pay": 10_000, "note": "to B"}
    decided = answer(asked, manager, edited={"pay": 90} if where == "decided" else None)
    if where.startswith("step"):
        sweep()
        fitting = {"action_sha256": sha256_of(forged)} if where == "step and digest" else {}
        Step.objects.filter(pk=asked.step_id).update(action=forged, **fitting)
    else:
        column = "payload" if where == "asked" else "decided_payload"
        Approval.objects.filter(pk=decided.pk).update(**{column: forged})
    assert run(asked) == []
    decided.refresh_from_db()
    assert decided.status == "void"


def test_its_course_tells_recorded_handed_over_running_and_proven(asked: Approval, manager: User) -> None:
    decided = answer(asked, manager)
    assert course_of(decided).picked_up_at is None
    run(asked)
    done = course_of(Approval.objects.select_related("step").get(pk=asked.pk))
    assert done.recorded_at
    assert done.picked_up_at
    assert done.begun_at
    assert done.accepted_at
    assert done.recorded_at <= done.picked_up_at <= done.begun_at <= done.accepted_at
    assert done.sha256 == decided.payload_sha256


def test_names_outlive_their_accounts(manager: User) -> None:
    asked = [make_approval() for _ in range(5)]
    for one in asked:
        answer(one, manager)
    manager.delete()
    assert set(Approval.objects.values_list("decided_by_name", "decided_by")) == {("manager", None)}
    assert set(Vote.objects.values_list("user_name", flat=True)) == {"manager"}
    assert Checkpoint.objects.filter(kind="decided", actor="manager").count() == 5
    assert not Event.objects.exclude(by=None).exists()


def test_no_answer_is_no_yes_unless_the_policy_names_it(db: None) -> None:
    for over in ({}, {"on_expiry": ""}, {"on_expiry": "APPROVE"}):
        asked = make_approval(policy=Policy(**over))  # type: ignore[arg-type]
        Approval.objects.filter(pk=asked.pk).update(expires_at=asked.requested_at)
        sweep()
        asked.refresh_from_db()
        assert (asked.status, asked.verdict, asked.decided_by_name) == ("expired", "", "")
