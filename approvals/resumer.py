"""The resumer: hands decisions over that were taken, exactly once each."""

from django.db.models import QuerySet

from approvals import decisions, handover
from approvals.models import Approval, Outcome
from taskboard import hints
from taskboard.change import Change
from taskboard.lifecycle import changing
from taskboard.models import Kind, Task
from taskboard.seal import sha256_of

ACTOR = "resumer"


def pick_up(approval_id: int) -> bool:
    """Hand one decision over; False if there is nothing to hand over (any more)."""
    task_pk = _owed().filter(pk=approval_id).values_list("task_id", flat=True).first()
    if task_pk is None:
        return False
    with changing(task_pk, ACTOR) as change:
        picked_up = _take(change, approval_id)
    if picked_up:
        hints.soon("taskboard.run_task", task_pk, queue="short")
    return picked_up


def pick_up_all(task: Task | None = None, batch: int = 100) -> int:
    """Hand over all decisions that are owed, of one task or of all; returns how many."""
    owed = _owed() if task is None else _owed().filter(task=task)
    count, last = 0, 0
    while ids := list(owed.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:batch]):
        count += sum(pick_up(pk) for pk in ids)
        last = ids[-1]
    return count


def _owed() -> "QuerySet[Approval]":
    """An imported task is passed over until a person resumes it."""
    return Approval.objects.undelivered().filter(task__held=False)


def _take(change: Change, approval_id: int) -> bool:
    approval = Approval.objects.undelivered().select_related("step").filter(pk=approval_id).first()
    if approval is None:
        return False
    Approval.objects.undelivered().filter(pk=approval_id).update(picked_up_at=change.now)
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
