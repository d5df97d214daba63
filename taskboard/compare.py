"""Two runs of the same work, item by item: what is better, worse, new or gone. In small batches, so that the
largest tasks can be compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from django.db.models import Exists, OuterRef, Q, QuerySet

from taskboard import secret_params, selection, workflow
from taskboard.models import Item, ItemStatus, Step, StepStatus, Task, TaskStatus

Verdict = Literal["better", "worse", "new", "gone", "same"]
VERDICTS: Sequence[Verdict] = ("worse", "better", "new", "gone", "same")
AT_ONCE = 500
MOST_READ = 10_000
"""At most this many items are read for one page; a file reads them all."""
NEWEST = 200
"""At most this many earlier tasks of a workflow are searched for the last run of the same source."""
RANK: Mapping[str, int] = {
    ItemStatus.DONE: 0, ItemStatus.SKIPPED: 0, ItemStatus.REJECTED: 1, ItemStatus.BLOCKED: 2, ItemStatus.FAILED: 2,
}  # fmt: skip
"""How well an item ended; an item with any other status has not ended."""


@dataclass(frozen=True)
class Side:
    """An item in one of the two runs; `measure` is what its workflow counts, where less is better."""

    status: str
    measure: int | None


@dataclass(frozen=True)
class Pair:
    """An item in both runs, or in one of them."""

    position: int
    key: str
    label: str
    now: Side | None
    was: Side | None

    @property
    def verdict(self) -> Verdict:
        return judge(self.now, self.was)


def judge(now: Side | None, was: Side | None) -> Verdict:
    """By what the workflow measures; where it measures nothing, by how the item ended. Pure."""
    if was is None or was.status == ItemStatus.CANCELLED:
        return "new"
    if now is None:
        return "gone"
    if now.measure is not None and was.measure is not None:
        return _less(now.measure, was.measure)
    if now.status in RANK and was.status in RANK:
        return _less(RANK[now.status], RANK[was.status])
    return "same"


def earlier(task: Task) -> Task | None:
    """The last finished run before this one that had the same source; an import may bring older ones later. JSON is
    compared here: the databases differ."""
    found = next(_same_source(task, Task.objects.filter(status=TaskStatus.COMPLETED)), None)
    return None if found is None else Task.objects.get(pk=found)


def not_completed(task: Task, among: "QuerySet[Task]", number: int) -> "QuerySet[Task]":
    """The last earlier runs of the same source that are not completed, which a person may choose."""
    found = _same_source(task, among.exclude(status=TaskStatus.COMPLETED))
    return Task.objects.filter(pk__in=list(islice(found, number))).order_by("-created_at", "-pk")


def _same_source(task: Task, among: "QuerySet[Task]") -> Iterator[int]:
    older = Q(created_at__lt=task.created_at) | Q(created_at=task.created_at, pk__lt=task.pk)
    before = among.filter(older, workflow=task.workflow).order_by("-created_at", "-pk")
    source = source_of(task.workflow, task.params)
    for pk, params in before.values_list("pk", "params")[:NEWEST]:
        if source_of(task.workflow, params) == source:
            yield pk


def source_of(name: str, params: Mapping[str, Any]) -> Any:
    """What a run is about: as its workflow says (`source`), else all parameters."""
    spec = workflow.find(name)
    told = getattr(spec.owner, "source", None) if spec else None
    return told(params) if told else secret_params.public(spec, params)


def changed_secrets(now: Task, was: Task) -> list[str]:
    """The secret parameters that differ; their values stay unknown."""
    return secret_params.changed(workflow.find(now.workflow), now.params, was.params)


def measured_as(name: str) -> str:
    """What the workflow counts, in the plural: "findings"; empty if it counts nothing."""
    spec = workflow.find(name)
    return str(getattr(spec.owner, "measured_as", "")) if spec else ""


def pairs(now: Task, was: Task, after: int = 0) -> Iterator[Pair]:
    """The items of this run behind that position, each beside the earlier one."""
    yield from _beside(now, was, selection.items_of(now).filter(position__gt=after))


def gone(now: Task, was: Task, after: int = 0) -> Iterator[Pair]:
    """The items that only the earlier run had, behind that position of it."""
    for batch in _batches(_missing(was, now).filter(position__gt=after)):
        sides = _sides(was, batch)
        for item in batch:
            yield Pair(item.position, item.key, item.label, None, sides[item.pk])


def count_gone(now: Task, was: Task) -> int:
    return _missing(was, now).count()


def some(found: Iterator[Pair], verdict: Verdict, number: int) -> tuple[list[Pair], int]:
    """The first so many of that verdict, and where to go on (0: nowhere), reading a bounded number of items."""
    shown: list[Pair] = []
    last = 0
    for pair in islice(found, MOST_READ):
        if pair.verdict == verdict:
            shown.append(pair)
        last = pair.position
        if len(shown) == number:
            return shown, last
    return shown, last if next(found, None) else 0


def count(found: Iterator[Pair]) -> tuple[dict[Verdict, int], bool]:
    """How many of each verdict, and whether all items were read for it."""
    counts: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    for pair in islice(found, MOST_READ):
        counts[pair.verdict] += 1
    return counts, next(found, None) is None


def _beside(now: Task, was: Task, items: "QuerySet[Item]") -> Iterator[Pair]:
    for batch in _batches(items):
        others = {
            item.key: item for item in selection.items_of(was).filter(key__in=[item.key for item in batch])
        }
        sides, before = _sides(now, batch), _sides(was, list(others.values()))
        for item in batch:
            other = others.get(item.key)
            yield Pair(
                item.position, item.key, item.label, sides[item.pk], before[other.pk] if other else None
            )


def _batches(items: "QuerySet[Item]") -> Iterator[list[Item]]:
    last = -1
    wanted = items.order_by("position").only("key", "label", "status", "position")
    while batch := list(wanted.filter(position__gt=last)[:AT_ONCE]):
        last = batch[-1].position
        yield batch


def _sides(task: Task, items: Sequence[Item]) -> dict[int, Side]:
    """What came of each item; the outputs are read of those steps alone that the workflow measures by."""
    spec = workflow.find(task.workflow)
    measure = getattr(spec.owner, "measure", None) if spec else None
    outputs: dict[int, dict[str, Any]] = {}
    if spec and measure:
        names = getattr(spec.owner, "measured_by", tuple(spec.steps))
        done = Step.objects.filter(
            item__in=[item.pk for item in items], name__in=names, status=StepStatus.DONE
        )
        for pk, name, told in done.values_list("item", "name", "outputs"):
            outputs.setdefault(pk, {})[name] = told or {}
    return {item.pk: Side(item.status, _measure(measure, outputs.get(item.pk))) for item in items}


def _measure(measure: Any, outputs: Mapping[str, Any] | None) -> int | None:
    """Outputs may be of an older version of the workflow, and then hold nothing that it knows."""
    if measure is None or outputs is None:
        return None
    try:
        found = measure(outputs)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    return found if isinstance(found, int) else None


def _missing(there: Task, here: Task) -> "QuerySet[Item]":
    """The items of one run that the other has not."""
    same = Item.objects.filter(task=here, key=OuterRef("key"))
    return selection.items_of(there).filter(~Exists(same)).order_by("position")


def _less(now: int, was: int) -> Verdict:
    return "same" if now == was else "better" if now < was else "worse"
