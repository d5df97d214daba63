"""A write whose facts have gone stale reads them again first. What a person agreed to stays, and holds if the question
would read the same now."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from taskboard import budget, lifecycle
from taskboard.change import Change
from taskboard.engine import advance
from taskboard.lifecycle import StepMove
from taskboard.models import Effect, Kind, Step, StepStatus
from taskboard.models.step import PASSED_STEPS
from taskboard.workflow import StepSpec, WorkflowSpec

SHORTEST = timedelta(minutes=1)
"""Facts that are worth less would be read again and again while the write waits for its turn."""
A_MOMENT = timedelta(seconds=5)
"""After it a write looks whether its facts are there."""
AT_WORK = (StepStatus.PENDING, StepStatus.STARTED, StepStatus.SUPERSEDED)
"""The last is one that was put aside just now, for another write."""


def hold_back(change: Change, spec: WorkflowSpec, due: Sequence[Step]) -> dict[str, list[str]]:
    """Those of these due steps that have to wait for their facts, each with what is read again for it from now on."""
    writes = [step for step in due if step.name in spec.facts]
    items = _current(writes)
    held: dict[str, list[str]] = {}
    for write in (items[step.item_id][step.name] for step in writes):
        there = items[write.item_id]
        known = [there[step.name] for step in spec.before(write.name) if step.name in there]
        if unread := [step for step in known if step.status not in PASSED_STEPS]:
            held[_name(write)] = _wait(change, write, unread)
        elif stale := [fact for fact in spec.facts[write.name] if _is_stale(change, fact, there)]:
            held[_name(write)] = [_read_again(change, spec, fact, write, there) for fact in stale]
            _postpone(change, write)
    if held:
        advance.follow(change, [write.item_id for write in writes])
    return held


def _name(step: Step) -> str:
    return f"{step.item.key}.{step.name}"


def _wait(change: Change, write: Step, unread: Sequence[Step]) -> list[str]:
    """Until they are read. If that has come to nothing, the write is put aside: it follows anew behind them."""
    if all(step.status in AT_WORK for step in unread):
        _postpone(change, write, [step.due_at for step in unread if step.due_at])
    else:
        Effect.objects.filter(step=write, at=None).delete()
        _put_aside(change, [write], "The facts behind it could not be read again.")
    return []


def _is_stale(change: Change, fact: StepSpec, there: Mapping[str, Step]) -> bool:
    step, worth = there.get(fact.name), fact.fresh_for or SHORTEST
    if step is None or step.status != StepStatus.DONE or step.checked_at is None:
        return False
    return step.checked_at < change.now - max(worth, SHORTEST)


def _read_again(
    change: Change, spec: WorkflowSpec, fact: StepSpec, write: Step, there: Mapping[str, Step]
) -> str:
    """The fact, and the reads between it and the write that made something of it."""
    behind = [step for step in spec.before(write.name) if fact in spec.before(step.name)]
    names = [fact.name, *(step.name for step in behind if not step.writes)]
    old = [there[name] for name in names if name in there and there[name].status in PASSED_STEPS]
    _put_aside(change, old, f"older than {fact.fresh_for}")
    return _name(there[fact.name])


def _postpone(change: Change, write: Step, until: Sequence[datetime] = ()) -> None:
    Step.objects.filter(pk=write.pk).update(due_at=max([change.now + A_MOMENT, *until]))


def _put_aside(change: Change, steps: Sequence[Step], reason: str) -> None:
    budget.free(change, steps)
    moves = [
        StepMove(
            step, StepStatus.SUPERSEDED, {"finished_at": step.finished_at or change.now, "reserved_micro": 0}
        )
        for step in steps
    ]
    lifecycle.move_steps(change, moves)
    for step in steps:
        data = {"to": StepStatus.SUPERSEDED, "revision": step.revision, "reason": reason}
        change.record(Kind.SUPERSEDED, item=step.item.key, step=step.name, attempt=step.attempt, data=data)


def _current(writes: Sequence[Step]) -> dict[int, dict[str, Step]]:
    """The steps of their items by name, without those that a later revision replaced."""
    items: dict[int, dict[str, Step]] = {}
    if writes:
        ids = {write.item_id for write in writes}
        for step in Step.objects.current().filter(item__in=ids).select_related("item"):
            items.setdefault(step.item_id, {})[step.name] = step
    return items
