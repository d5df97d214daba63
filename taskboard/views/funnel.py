"""How far the steps of a task have come: one line per step, and one mark per step of an item."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard.models import Item, ItemStatus, Step, StepStatus, Task, TaskStatus
from taskboard.models.task import SETTLED_ITEMS
from taskboard.workflow import StepSpec, WorkflowSpec, find

STEP, ITEM = StepStatus, ItemStatus
AS_ITEM: Mapping[str, str] = {
    STEP.DONE: ITEM.DONE,
    STEP.SKIPPED: ITEM.SKIPPED,
    STEP.STARTED: ITEM.RUNNING,
    STEP.PENDING: ITEM.PENDING,
    STEP.WAITING_APPROVAL: ITEM.WAITING_APPROVAL,
    STEP.UNKNOWN: ITEM.BLOCKED,
    STEP.BLOCKED: ITEM.BLOCKED,
    STEP.FAILED: ITEM.FAILED,
    STEP.REJECTED: ITEM.REJECTED,
    STEP.CANCELLED: ITEM.CANCELLED,
}
"""The pattern that a step's status is drawn with: bars know the statuses of items."""
BEGUN = "begun"
"""How an item that is neither at rest nor finished looks while its task does not run."""


@dataclass(frozen=True)
class Note:
    """Some of a step's items and, as `at`, the word under which the items table finds them."""

    text: str
    at: str


@dataclass(frozen=True)
class Line:
    """A step of all items: how many stand where, of how many (`total`) that reached it or will. The plan counts by
    these lines too. `done` is what was carried out: a skipped step is over as well, but nothing was done, so it is
    told apart."""

    name: str
    label: str
    counts: Mapping[str, int]
    total: int

    @property
    def done(self) -> int:
        return self.counts.get(ITEM.DONE, 0)

    @property
    def over(self) -> int:
        """How many will not move by themselves any more, however they ended."""
        return sum(self.counts.get(status, 0) for status in SETTLED_ITEMS)

    @property
    def notes(self) -> list[Note]:
        """What is not plain from the two numbers: "4 running, 11 skipped"."""
        counts = self.counts
        waits, needs = counts.get(ITEM.WAITING_APPROVAL, 0), counts.get(ITEM.BLOCKED, 0)
        named = [
            (ITEM.RUNNING, _("%d running")),
            (BEGUN, _("%d begun")),
            (ITEM.WAITING_APPROVAL, ngettext("%d waits for approval", "%d wait for approval", waits)),
            (ITEM.SKIPPED, _("%d skipped")),
            (ITEM.BLOCKED, ngettext("%d needs a person", "%d need a person", needs)),
            (ITEM.FAILED, _("%d failed")),
            (ITEM.REJECTED, _("%d rejected")),
            (ITEM.CANCELLED, _("%d cancelled")),
            (ITEM.PENDING, _("%d to come")),
        ]
        told = [(status, text % counts[status]) for status, text in named if counts.get(status)]
        return [Note(text, "running" if status == BEGUN else str(status)) for status, text in told]

    @property
    def left(self) -> int:
        """How many are neither begun nor over."""
        return sum(
            self.counts.get(status, 0) for status in (ITEM.PENDING, ITEM.WAITING_APPROVAL, ITEM.BLOCKED)
        )


@dataclass(frozen=True)
class Mark:
    """A step of one item as it is shown; one that the item has not reached yet has no status and no row."""

    name: str
    label: str
    status: str = ""
    attempt: int = 0
    step: Step | None = field(default=None, compare=False)
    question: int | None = None


def is_still(task: Task) -> bool:
    """Whether nothing of it runs at this moment, whatever has begun."""
    return task.held or (task.status != TaskStatus.RUNNING and not task.steps_in(STEP.STARTED))


def status_of(item: Item) -> str:
    """As it is shown, which is another word where nothing of its task runs."""
    return BEGUN if item.status == ITEM.RUNNING and is_still(item.task) else item.status


def shown(task: Task, counts: Mapping[str, int]) -> Mapping[str, int]:
    """Counts of items as they are shown: what has begun does not run where nothing runs."""
    if not is_still(task) or ITEM.RUNNING not in counts:
        return counts
    return {BEGUN if status == ITEM.RUNNING else status: number for status, number in counts.items()}


def spec_of(task: Task) -> WorkflowSpec | None:
    """The workflow of a task, if this installation (still) has it."""
    return find(task.workflow)


def label(spec: StepSpec | None, name: str) -> str:
    return str(spec.label) if spec and spec.label else name.replace("_", " ")


def item_steps(task: Task) -> list[Line]:
    """One line per step that items go through, in the workflow's order."""
    spec = spec_of(task)
    if spec is None:
        return [_line(task, name, None) for name in task.step_counts]
    return [_line(task, step.name, spec) for step in spec.item_steps]


def whole_task_step(task: Task, name: str) -> Line:
    """A step that happens once, for all items together."""
    counts = _as_items(task.step_counts.get(name, {}))
    return Line(name, label(None, name), shown(task, counts), max(sum(counts.values()), 1))


def left(task: Task, lines: Iterable[Line]) -> dict[str, int]:
    """How many steps of each name are neither begun nor over; those of the whole task happen once."""
    spec = spec_of(task)
    whole = {step.name: max(1 - _not_left(task, step.name), 0) for step in spec.task_steps} if spec else {}
    return {line.name: line.left for line in lines} | whole


def labels(task: Task, *, whole_task: bool = False) -> dict[str, str]:
    """The steps of every item (or of the whole task) with their labels, in the workflow's order."""
    spec = spec_of(task)
    if spec is None:
        return {}
    steps = spec.task_steps if whole_task else spec.item_steps
    return {step.name: label(step, step.name) for step in steps}


def to_come(task: Task, known: Mapping[str, str], steps: Iterable[Step]) -> dict[str, str]:
    """The steps of `known` that an item goes through: of a cancelled task only those that it has reached."""
    reached = {step.name for step in steps}
    over = task.status == TaskStatus.CANCELLED
    return {name: text for name, text in known.items() if not over or name in reached}


def marks(known: Mapping[str, str], steps: Iterable[Step]) -> list[Mark]:
    """The steps of one item: those of `known` in its order, then others; the latest revision of each."""
    latest = {step.name: step for step in sorted(steps, key=lambda step: step.revision)}
    names = [*known, *(name for name in latest if name not in known)]
    return [_mark(name, known.get(name) or label(None, name), latest.get(name)) for name in names]


def _mark(name: str, label: str, step: Step | None) -> Mark:
    return Mark(name, label, step.status, step.attempt, step) if step else Mark(name, label)


def _line(task: Task, name: str, spec: WorkflowSpec | None) -> Line:
    """Items that have not reached the step are still to come, but for those that ended before it."""
    counts = _as_items(task.step_counts.get(name, {}))
    reached = sum(counts.values())
    further = 0
    if spec and task.status != TaskStatus.CANCELLED:
        ended = sum(_ended(task.step_counts.get(earlier, {})) for earlier in ancestors(spec, name))
        further = max(task.total - sum(task.unlisted.values()) - reached - ended, 0)
        counts[ITEM.PENDING] = counts.get(ITEM.PENDING, 0) + further
    step = spec.known(name) if spec else None
    return Line(name, label(step, name), shown(task, counts), reached + further)


def _as_items(per_status: Mapping[str, int]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for status, number in per_status.items():
        if status in AS_ITEM:
            counts[AS_ITEM[status]] = counts.get(AS_ITEM[status], 0) + number
    return counts


def _not_left(task: Task, name: str) -> int:
    per_status = task.step_counts.get(name, {})
    return sum(per_status.get(status, 0) for status in (STEP.STARTED, STEP.DONE, STEP.SKIPPED)) + _ended(
        per_status
    )


def _ended(per_status: Mapping[str, int]) -> int:
    return sum(per_status.get(status, 0) for status in (STEP.FAILED, STEP.REJECTED, STEP.CANCELLED))


def ancestors(spec: WorkflowSpec, name: str) -> set[str]:
    """The steps that an item goes through before this one."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        before = set(spec.steps[ahead.pop()].after) - found
        found |= before
        ahead += before
    return found
