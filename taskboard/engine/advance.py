"""Which steps a finished step opens, and what that makes of its item."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Protocol

from taskboard import lifecycle, rows, workflow
from taskboard.change import Change
from taskboard.declaration import undo_name
from taskboard.models import Item, ItemStatus, Step, StepStatus
from taskboard.models.step import OPEN_STEPS, PASSED_STEPS
from taskboard.models.task import WHOLE_TASK
from taskboard.workflow import EVERYTHING, StepSpec, WorkflowSpec

S = StepStatus
_AT_WORK = (S.PENDING, S.STARTED)
_ENDS = (
    (S.WAITING_APPROVAL, ItemStatus.WAITING_APPROVAL),
    (S.UNKNOWN, ItemStatus.BLOCKED),
    (S.BLOCKED, ItemStatus.BLOCKED),
    (S.FAILED, ItemStatus.FAILED),
    (S.REJECTED, ItemStatus.REJECTED),
    (S.CANCELLED, ItemStatus.CANCELLED),
)


class Named(Protocol):
    """What a new step takes from its item."""

    pk: int
    key: str
    position: int


@dataclass(slots=True)
class Standing:
    """An item as it stands, and per step name the current status and the highest revision."""

    pk: int
    key: str
    position: int
    status: str
    stage: str
    steps: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    revision: dict[str, int] = field(default_factory=dict)
    last: dict[str, Step] = field(default_factory=dict)

    @property
    def is_whole_task(self) -> bool:
        return self.position == 0


@dataclass(slots=True)
class Following:
    """The steps that some items have reached, without rows as yet, and where that puts the items."""

    opened: list[tuple[Standing, Step]] = field(default_factory=list)
    moves: list[tuple[Standing, ItemStatus, str]] = field(default_factory=list)


def openable(steps: Iterable[StepSpec], status: Mapping[str, str]) -> list[StepSpec]:
    """The steps that have no row yet and wait for nothing any more. Pure."""
    return [
        s
        for s in steps
        if s.name not in status
        and all(status.get(dep) in PASSED_STEPS for dep in s.after)
        and (s.undo is None or status.get(undo_name(s.name), S.DONE) in PASSED_STEPS)
    ]


def item_status(status: Mapping[str, str]) -> ItemStatus:
    """What the steps of an item make of it, when nothing more can be opened. Pure."""
    stands = set(status.values())
    if stands & set(_AT_WORK):
        return ItemStatus.RUNNING
    return next((becomes for step, becomes in _ENDS if step in stands), ItemStatus.DONE)


def stage(steps: Iterable[StepSpec], status: Mapping[str, str]) -> str:
    """The step that the item stands at: the first unfinished one, or the last that was reached. Pure."""
    reached = [s.name for s in steps if s.name in status]
    unfinished = [name for name in reached if status[name] not in PASSED_STEPS]
    return (unfinished or reached[-1:] or [""])[0]


def follow(change: Change, item_ids: Iterable[int]) -> None:
    """After steps moved: open what they open and let their items follow. The caller holds the task's lock."""
    write(change, look(change, item_ids))


def look(change: Change, item_ids: Iterable[int]) -> Following:
    """What follows for these items; nothing is written yet."""
    spec = workflow.get(change.task.workflow)
    found = Following()
    for item in _standing(set(item_ids)):
        steps = spec.task_steps if item.is_whole_task else spec.item_steps
        if not item.is_whole_task:
            found.opened += [(item, step) for step in _opened(change, item, steps)]
        becomes, at = _becomes(item), stage(steps, item.steps)
        if (becomes, at) != (item.status, item.stage):
            found.moves.append((item, becomes, at))
    return found


def write(change: Change, found: Following) -> None:
    """Insert the opened steps, as what they have become meanwhile, and let their items follow."""
    lifecycle.open_steps(change, [step for _item, step in found.opened])
    lifecycle.move_items(change, found.moves)
    follow_whole_task(change, workflow.get(change.task.workflow))


def follow_whole_task(change: Change, spec: WorkflowSpec) -> None:
    """Open the whole-task steps whose time has come."""
    may = {step.name: step for step in spec.task_steps if _may_open(change, spec, step)}
    new = [step for step in may.values() if not _waits_for(change, spec, step) & may.keys()]
    if not new:
        return
    (item,) = _standing([whole_task_item(change).pk])
    lifecycle.open_steps(change, [_next_revision(change, item, step) for step in new])
    lifecycle.move_items(change, [(item, _becomes(item), stage(spec.task_steps, item.steps))])


def whole_task_item(change: Change) -> Item:
    """The item that the whole-task steps belong to; a deploy may have added the first of them."""
    there = Item.objects.filter(task=change.task, position=0).first()
    if there is None:
        there = Item(task=change.task, key=WHOLE_TASK, position=0, updated_at=change.now)
        lifecycle.add_items(change, [there])
    return there


def new_step(change: Change, item: Named, spec: StepSpec, revision: int = 1) -> Step:
    """An unsaved pending step of an item; a write step has its idempotency key from the start."""
    key = f"{change.task.public_id}:{item.key}:{spec.name}" + (f":{revision}" if revision > 1 else "")
    return Step.fresh(
        task_id=change.task.pk, item_id=item.pk, name=spec.name, revision=revision, position=item.position,
        idempotency_key=key if spec.writes else None,
    )  # fmt: skip


def _becomes(item: Standing) -> ItemStatus:
    if item.status == ItemStatus.PENDING and set(item.steps.values()) <= {S.PENDING}:
        return ItemStatus.PENDING
    return item_status(item.steps)


def _may_open(change: Change, spec: WorkflowSpec, step: StepSpec) -> bool:
    counts = change.task.step_counts
    there = {
        name: sum(n for status, n in per.items() if status != S.SUPERSEDED) for name, per in counts.items()
    }
    if there.get(step.name) or not change.task.items_read:
        return False
    if not all(set(counts.get(dep, {})) & set(PASSED_STEPS) for dep in step.after):
        return False
    if step.undo and set(counts.get(undo_name(step.name), {})) - set(PASSED_STEPS):
        return False
    held = _waits_for(change, spec, step)
    return not any(counts.get(name, {}).get(status) for name in held for status in OPEN_STEPS)


def _waits_for(change: Change, spec: WorkflowSpec, step: StepSpec) -> set[str]:
    """The names of the steps that hold this whole-task step back while they are open."""
    if step.after_all != EVERYTHING:
        return _upstream(spec, step.after_all)
    names = {*spec.steps, *change.task.step_counts}
    return {name for name in names if name not in spec.steps or spec.steps[name].after_all != EVERYTHING}


def _upstream(spec: WorkflowSpec, names: Iterable[str]) -> set[str]:
    """These steps and all that come before them."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [*spec.steps[name].after, *(n for n in spec.steps[name].after_all if n != "*")]
    return found | {undo_name(name) for name in found if spec.steps[name].undo}


def _standing(item_ids: Iterable[int]) -> list[Standing]:
    there = rows.select(Item, ("id", "key", "position", "status", "stage"), "id", set(item_ids))
    items = {row[0]: Standing(*row) for row in sorted(there, key=itemgetter(2))}
    gone_back = set()
    columns = ("item", "revision", "name", "status", "outputs")
    for item_id, revision, name, status, outputs in sorted(
        rows.select(Step, columns, "item", items), key=itemgetter(1)
    ):
        item = items[item_id]
        item.revision[name] = revision
        if status == S.SUPERSEDED:
            gone_back.add(item_id)
            continue
        item.steps[name] = status
        if status == S.DONE and outputs:
            item.outputs[name] = json.loads(outputs)
    for step in Step.objects.filter(item_id__in=gone_back, status=S.SUPERSEDED).order_by("revision"):
        items[step.item_id].last[step.name] = step
    return list(items.values())


def _opened(change: Change, item: Standing, steps: list[StepSpec]) -> list[Step]:
    """The steps to insert; one that is carried over as done may open further ones at once."""
    opened: list[Step] = []
    while new := openable(steps, item.steps):
        opened += [_next_revision(change, item, spec) for spec in new]
    return opened


def _next_revision(change: Change, item: Standing, spec: StepSpec) -> Step:
    step = new_step(change, item, spec, item.revision.get(spec.name, 0) + 1)
    former = item.last.get(spec.name)
    if former is not None and _is_kept(spec, former):
        _carry_over(step, former)
    item.steps[step.name], item.revision[step.name] = step.status, step.revision
    return step


def _is_kept(spec: StepSpec, former: Step) -> bool:
    return spec.writes and spec.on_go_back == "keep" and former.executed_at is not None and not former.error


def _carry_over(step: Step, former: Step) -> None:
    """A write that had its effect already is not done again."""
    for name in (
        "external_id",
        "summary",
        "outputs",
        "executed_at",
        "verified_at",
        "verified_how",
        "checked_at",
    ):
        setattr(step, name, getattr(former, name))
    step.status, step.finished_at = S.DONE, former.finished_at
