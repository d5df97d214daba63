"""The resumer: hands decisions over that were taken, exactly once each."""

from datetime import timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from approvals import decisions, handover, trail
from approvals.models import Approval, Event, Outcome
from approvals.rules import Doing
from taskboard import hints
from taskboard.change import Change
from taskboard.engine import work
from taskboard.lifecycle import changing
from taskboard.models import Kind, Task
from taskboard.seal import sha256_of

ACTOR = "resumer"
A_MOMENT = timedelta(seconds=10)
"""Before a step that must wait for a write beside it is looked at again."""


def pick_up(approval_id: int) -> bool:
    """Hand one decision over; False if there is nothing to hand over (any more)."""
    task_pk = _hand_over(approval_id)
    if task_pk is not None:
        hints.soon("taskboard.run_task", task_pk, queue="short")
    return task_pk is not None


def pick_up_and_go_on(approval_id: int) -> None:
    """The same in a job of its own, which then works on the task as the next message would have it do: a person
    who has decided waits for one message, and not for two."""
    task_pk = _hand_over(approval_id)
    if task_pk is not None:
        work.run_beside(task_pk)


def pick_up_all(task: Task | None = None, batch: int = 100) -> int:
    """Hand over all decisions that are owed, of one task or of all; returns how many."""
    owed = _owed() if task is None else _owed().filter(task=task)
    count, last = 0, 0
    while ids := list(owed.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:batch]):
        count += sum(pick_up(pk) for pk in ids)
        last = ids[-1]
    return count


def kick(approval_id: int, user: AbstractBaseUser) -> bool:
    """For operators, when no worker picks an answer up: hand it over here and now."""
    task_pk = trail.task_of(approval_id)
    with changing(task_pk, user.get_username()) as change:
        approval = trail.read(approval_id)
        person = trail.allowed(change, approval, user.pk, Doing.KICK)
        trail.add(change, approval, person, Event.What.KICKED)
        trail.record(change, Kind.PERSON, approval, did="kick decision")
        picked_up = _take(change, approval_id)
    hints.soon("taskboard.run_task", task_pk, queue="short")
    return picked_up


def _hand_over(approval_id: int) -> int | None:
    """The task whose decision was handed over now."""
    task_pk = Approval.objects.filter(pk=approval_id).values_list("task_id", flat=True).first()
    if task_pk is None:
        return None
    with changing(task_pk, ACTOR) as change:
        return task_pk if not change.task.held and _take(change, approval_id) else None


def _owed() -> "QuerySet[Approval]":
    """An imported task is passed over until a person resumes it; what can be taken back has to wait."""
    return Approval.objects.undelivered(timezone.now()).filter(task__held=False)


def _take(change: Change, approval_id: int) -> bool:
    owed = Approval.objects.undelivered(change.now).filter(pk=approval_id)
    approval = owed.select_related("step").first()
    if approval is None:
        return False
    if handover.must_wait(change, approval):
        owed.update(hand_over_at=change.now + A_MOMENT)
        return False
    owed.update(picked_up_at=change.now)
    approval.picked_up_at = change.now
    if approval.verdict == Outcome.APPROVE and sha256_of(approval.sealed[0]) != approval.sealed[1]:
        decisions.void(change, approval, "The stored action no longer fits its seal.")
        to = handover.ask_again(change, approval)
    else:
        to = handover.carry_out(change, approval)
    change.record(
        Kind.PICKED_UP, item=approval.item_key, step=approval.step_name,
        data={"approval": approval.pk, "digest": approval.sealed[1], "verdict": approval.verdict, "to": to},
    )  # fmt: skip
    return True
