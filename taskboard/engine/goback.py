"""Going back to an earlier step: what came after it is superseded; too often, and a person is asked."""

from django.db.models import F

from taskboard import lifecycle
from taskboard.change import Change
from taskboard.gates import gate
from taskboard.lifecycle import StepMove
from taskboard.models import Item, Kind, Step, StepStatus
from taskboard.workflow import WorkflowSpec, get

S = StepStatus


def is_too_often(change: Change, item: Item) -> bool:
    """Whether one more go-back would be over the workflow's limit."""
    item.refresh_from_db(fields=["go_backs"])  # steps side by side may have gone back meanwhile
    return item.go_backs >= get(change.task.workflow).max_go_backs


def count(item: Item) -> None:
    """One more; a fact that was read again because of its age counts for nothing."""
    Item.objects.filter(pk=item.pk).update(go_backs=F("go_backs") + 1)


def must_wait(change: Change, step: Step, to: str) -> bool:
    """Whether a write that would be put aside is in the air, or its outcome is open: it may have its effect."""
    beside = Step.objects.filter(item=step.item_id, name__in=_from(get(change.task.workflow), to))
    open_writes = beside.filter(status__in=(S.STARTED, S.UNKNOWN), idempotency_key__isnull=False)
    return open_writes.exclude(pk=step.pk).exists()


def supersede(change: Change, item: Item, to: str, reason: str) -> None:
    """Put aside `to` and all that came after it, so that `follow` opens them anew in their next revision."""
    spec = get(change.task.workflow)
    gone = _from(spec, to)
    withdrawn = Step.objects.filter(item=item, name__in=gone).exclude(status__in=(S.SUPERSEDED, S.CANCELLED))
    reserved = sum(step.reserved_micro for step in withdrawn)
    if reserved:
        change.reserve(-reserved)
    gate().withdraw(change, [step.pk for step in withdrawn if step.status == S.WAITING_APPROVAL], reason)
    moves = [
        StepMove(step, S.SUPERSEDED, {"finished_at": step.finished_at or change.now, "reserved_micro": 0})
        for step in withdrawn
    ]
    lifecycle.move_steps(change, moves)
    for one in moves:
        change.record(Kind.SUPERSEDED, item=item.key, step=one.step.name, attempt=one.step.attempt,
                      data={"to": S.SUPERSEDED, "revision": one.step.revision, "reason": reason})  # fmt: skip


def _from(spec: WorkflowSpec, name: str) -> set[str]:
    gone: set[str] = set()
    reached = {name}
    while reached:
        gone |= reached
        reached = {step.name for step in spec.steps.values() if gone & set(step.after)} - gone
    return gone
