"""A decision is handed over exactly once, whoever restarts when."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from approvals import decisions, resumer
from approvals.models import Approval
from taskboard.gates import gate
from taskboard.models import Checkpoint, ItemStatus, Kind, Task, TaskStatus
from tests.factories import make_approval, make_asking_step


def decided(manager: User, outcome: str = "approve", **over: Any) -> Approval:
    asked = make_approval(**over)
    return decisions.decide(asked.pk, manager, outcome, "because", asked.payload_sha256)


def test_an_approved_step_becomes_claimable_with_exactly_the_approved_action(manager: User) -> None:
    approval = decided(manager)
    assert resumer.pick_up(approval.pk)
    approval.refresh_from_db()
    step = approval.step
    assert step is not None
    assert (step.status, step.action, step.action_sha256) == (
        "pending",
        approval.payload,
        approval.decided_sha256,
    )
    assert approval.picked_up_at is not None
    assert (step.item.status, approval.task.status) == (ItemStatus.RUNNING, TaskStatus.RUNNING)


def test_a_rejected_step_ends_with_the_reason(manager: User) -> None:
    approval = decided(manager, "reject")
    resumer.pick_up(approval.pk)
    approval.refresh_from_db()
    assert approval.step is not None
    assert (approval.step.status, approval.step.error) == ("rejected", "Rejected by manager: because")
    assert approval.step.item.status == ItemStatus.REJECTED
    assert approval.task.status == TaskStatus.COMPLETED


def test_the_journal_tells_asked_decided_picked_up_in_this_order(manager: User) -> None:
    approval = decided(manager)
    resumer.pick_up(approval.pk)
    told = Checkpoint.objects.filter(task=approval.task, kind__in=(Kind.ASKED, Kind.DECIDED, Kind.PICKED_UP))
    assert [row.kind for row in told] == ["asked", "decided", "picked_up"]
    assert {row.data["approval"] for row in told} == {approval.pk}
    assert told[2].data["to"] == "pending"


def test_a_second_pick_up_changes_nothing(manager: User) -> None:
    approval = decided(manager)
    assert resumer.pick_up(approval.pk)
    version = Task.objects.get(pk=approval.task_id).version
    assert not resumer.pick_up(approval.pk)
    assert gate().collect(timezone.now()) == 0
    assert Task.objects.get(pk=approval.task_id).version == version


def test_a_decision_that_no_message_announced_is_found_by_the_sweep(manager: User) -> None:
    approval = decided(manager)
    assert Approval.objects.undelivered().get() == approval
    assert gate().collect(timezone.now()) == 1
    assert not Approval.objects.undelivered().exists()


def test_only_the_decisions_of_the_task_named_are_collected(manager: User) -> None:
    approval, other = decided(manager), decided(manager)
    assert gate().collect(timezone.now(), approval.task) == 1
    assert Approval.objects.undelivered().get() == other


def test_all_are_collected_however_many_there_are(manager: User) -> None:
    task = make_asking_step().task
    for _ in range(7):
        decided(manager, step=make_asking_step(task))
    assert resumer.pick_up_all(batch=3) == 7


def test_an_undecided_or_unknown_question_is_not_picked_up(db: None) -> None:
    assert not resumer.pick_up(make_approval().pk)
    assert not resumer.pick_up(12345)


def test_a_paused_task_has_its_step_claimable_and_stays_paused(manager: User) -> None:
    approval = decided(manager)
    Task.objects.update(status=TaskStatus.PAUSED)
    resumer.pick_up(approval.pk)
    approval.refresh_from_db()
    assert approval.step is not None
    assert (approval.step.status, approval.task.status) == ("pending", TaskStatus.PAUSED)


def test_a_held_task_is_passed_over_until_it_is_resumed(manager: User) -> None:
    approval = decided(manager)
    Task.objects.update(held=True)
    assert not resumer.pick_up(approval.pk)
    assert gate().collect(timezone.now()) == 0
    Task.objects.update(held=False)
    assert gate().collect(timezone.now()) == 1


def test_an_approval_changed_between_decision_and_pick_up_is_void_and_asked_again(manager: User) -> None:
    approval = decided(manager)
    Approval.objects.update(payload={"pay": 10_000, "to": "someone else"})
    resumer.pick_up(approval.pk)
    approval.refresh_from_db()
    assert approval.step is not None
    assert (approval.status, approval.step.status, approval.step.action) == ("void", "pending", None)
    assert gate().seal(approval.step) is None


def test_a_step_that_is_gone_meanwhile_is_left_alone(manager: User) -> None:
    approval = decided(manager)
    assert approval.step
    type(approval.step).objects.filter(pk=approval.step.pk).update(status="cancelled")
    assert resumer.pick_up(approval.pk)
    approval.refresh_from_db()
    assert approval.step.status == "cancelled"


@pytest.mark.parametrize("outcome", ["approve", "reject"])
def test_the_engine_is_told_of_the_seal_only_after_a_yes(manager: User, outcome: str) -> None:
    approval = decided(manager, outcome)
    assert approval.step
    assert (gate().seal(approval.step) is not None) == (outcome == "approve")
