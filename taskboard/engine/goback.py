"""Going back to an earlier step: what came after it is superseded; too often, and a person is asked."""

from collections.abc import Sequence

from django.db.models import F

from taskboard import budget, lifecycle
from taskboard.change import Change
from taskboard.declaration import undo_name
from taskboard.engine import advance, effects
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
    gone = _from(get(change.task.workflow), to)
    beside = Step.objects.filter(item=step.item_id, name__in=gone | set(map(undo_name, gone)))
    open_writes = beside.filter(status__in=(S.STARTED, S.UNKNOWN), idempotency_key__isnull=False)
    return open_writes.exclude(pk=step.pk).exists()


def supersede(change: Change, item: Item, to: str, reason: str) -> None:
    """Put aside `to` and all that came after it, so that `follow` opens them anew in their next revision. What
    is declared to be undone gets a step for that; the new revision waits for it."""
    spec = get(change.task.workflow)
    gone = _from(spec, to)
    there = Step.objects.filter(item=item, name__in=gone)
    withdrawn = list(there.exclude(status__in=(S.SUPERSEDED, S.CANCELLED)))
    undo = [step for step in withdrawn if _is_to_undo(spec, step)]
    if any(spec.steps[name].effect_key for name in gone):
        effects.release([step.pk for step in withdrawn if step.status in effects.NOT_BEGUN])
    for step in withdrawn:
        if step.status == S.STARTED:  # it may never say what it cost
            budget.settle_lost(change, step, item)
    budget.free(change, withdrawn)
    gate().withdraw(change, [step.pk for step in withdrawn if step.status == S.WAITING_APPROVAL], reason)
    moves = [
        StepMove(step, S.SUPERSEDED, {"finished_at": step.finished_at or change.now, "reserved_micro": 0})
        for step in withdrawn
    ]
    lifecycle.move_steps(change, moves)
    _take_back(change, spec, item, undo)
    for one in moves:
        change.record(Kind.SUPERSEDED, item=item.key, step=one.step.name, attempt=one.step.attempt,
                      data={"to": S.SUPERSEDED, "revision": one.step.revision, "reason": reason})  # fmt: skip


def _is_to_undo(spec: WorkflowSpec, step: Step) -> bool:
    """Whether it had its effect, or may have had it; another task's effect, which it only found, stays."""
    declared = spec.steps[step.name]
    if declared.on_go_back != "undo":
        return False
    had = step.status == S.DONE and step.executed_at is not None
    in_doubt = step.status == S.FAILED and step.error_class == effects.GIVEN_UP
    return (had or in_doubt) and (declared.effect_key is None or effects.is_own(step))


def _take_back(change: Change, spec: WorkflowSpec, item: Item, undo: Sequence[Step]) -> None:
    lifecycle.open_steps(change, [_undo(change, spec, item, step) for step in undo])
    for step in undo:
        data = {"to": S.PENDING, "reason": f"The effect of {step.name} is taken back."}
        change.record(Kind.NOTE, item=item.key, step=undo_name(step.name), data=data)


def _undo(change: Change, spec: WorkflowSpec, item: Item, undone: Step) -> Step:
    """It knows what its step did: the id outside, and what a person had approved."""
    step = advance.new_step(change, item, spec.undo[undo_name(undone.name)], undone.revision)
    step.external_id, step.action, step.action_sha256 = (
        undone.external_id, undone.action, undone.action_sha256,
    )  # fmt: skip
    return step


def _from(spec: WorkflowSpec, name: str) -> set[str]:
    gone: set[str] = set()
    reached = {name}
    while reached:
        gone |= reached
        reached = {step.name for step in spec.steps.values() if gone & set(step.after)} - gone
    return gone
