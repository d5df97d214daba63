"""Counts a task's rows again, folds its journal, and tells every difference from what stands written."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Count, Max, Min, QuerySet, Sum

from taskboard import usage
from taskboard.change import digest
from taskboard.engine import effects
from taskboard.models import Checkpoint, Item, Kind, LedgerEntry, Step, StepStatus, Task
from taskboard.money import to_usd
from taskboard.snapshot import snapshot

AT_ONCE = 500
Name = tuple[str, str]
"""Item key and step name."""


def differences(task: Task) -> Iterator[str]:
    """A sentence per difference, all of one moment; none if the task agrees with itself. Constant memory."""
    with snapshot():
        task = Task.objects.get(pk=task.pk)
        yield from _items(task)
        yield from _digest(task)
        yield from _steps(task)
        yield from _money(task)
        yield from _costs(task)
        yield from _ledger(task)
        yield from _ordinals(task)
        yield from _status(task)
        yield from _fold(task)
        yield from effects.differences(task)


def _items(task: Task) -> Iterator[str]:
    rows = _counted(Item.objects.filter(task=task).listed().order_by("status").values_list("status"))
    for status, number in task.unlisted.items():
        rows[status] = rows.get(status, 0) + number
    yield from _compare("items", task.item_counts, rows)


def _digest(task: Task) -> Iterator[str]:
    """What lists sort and filter by, against the counters that it is made of."""
    for name, number in digest(task.item_counts).items():
        if (says := getattr(task, name)) != number:
            yield f"{name}: the task says {says}, its counters make {number}."


def _steps(task: Task) -> Iterator[str]:
    there: dict[str, dict[str, int]] = {}
    rows = Step.objects.filter(task=task).order_by("name", "status").values_list("name", "status")
    for name, status, number in rows.annotate(Count("id")):
        there.setdefault(name, {})[status] = number
    for name in sorted({*there, *task.step_counts}):
        yield from _compare(f"steps.{name}", task.step_counts.get(name, {}), there.get(name, {}))


def _counted(rows: "QuerySet[Any, Any]") -> dict[str, int]:
    return dict(rows.annotate(Count("id")))


def _compare(place: str, written: Mapping[str, int], there: Mapping[str, int]) -> Iterator[str]:
    for status in sorted({*written, *there}):
        says, are = written.get(status, 0), there.get(status, 0)
        if says != are:
            yield f"{place}.{status}: the counter says {says}, the rows are {are}."


def _money(task: Task) -> Iterator[str]:
    spent = LedgerEntry.objects.filter(task=task).aggregate(sum=Sum("amount_micro"))["sum"] or 0
    if spent != task.spent_micro:
        yield f"budget.spent: the task says {task.spent_usd} USD, the ledger adds up to {to_usd(spent)}."
    reserved = Step.objects.filter(task=task).aggregate(sum=Sum("reserved_micro"))["sum"] or 0
    if reserved != task.reserved_micro:
        yield f"budget.reserved: the task says {task.reserved_usd} USD, its steps reserve {to_usd(reserved)}."


def _costs(task: Task) -> Iterator[str]:
    """What items and steps of a name cost is counted beside the steps; all three were added to at once."""
    paid = Step.objects.filter(task=task, cost_micro__gt=0).order_by("name").values_list("name")
    steps = dict(paid.annotate(Sum("cost_micro")))
    for name in sorted({*steps, *task.step_costs}):
        says, are = task.step_costs.get(name, 0), steps.get(name, 0)
        if says != are:
            yield f"costs.{name}: the counter says {to_usd(says)} USD, the steps cost {to_usd(are)}."
    items = Item.objects.filter(task=task).aggregate(sum=Sum("cost_micro"))["sum"] or 0
    if items != sum(steps.values()):
        yield f"costs: the items say {to_usd(items)} USD, their steps cost {to_usd(sum(steps.values()))}."


def _ledger(task: Task) -> Iterator[str]:
    """Each step's cost against the ledger, and the estimates in the ledger against those that were journaled."""
    if _is_imported(task):
        return
    costs = Step.objects.filter(task=task).order_by("name").values_list("name")
    there = dict(costs.annotate(cost=Sum("cost_micro")))
    entries = LedgerEntry.objects.filter(task=task).exclude(step="").order_by("step").values_list("step")
    for name, spent in entries.annotate(sum=Sum("amount_micro")):
        if there.get(name, 0) != spent:
            yield f"costs.{name}: its steps say {to_usd(there.get(name, 0))} USD, the ledger {to_usd(spent)}."
    rows = Checkpoint.objects.filter(task=task, kind=Kind.BUDGET, data__has_key="estimated_micro")
    told = sum(rows.values_list("data__estimated_micro", flat=True))
    guessed = usage.estimated_micro(task)
    if told != guessed:
        yield f"costs.estimated: the journal says {to_usd(told)} USD, the ledger {to_usd(guessed)}."


def _is_imported(task: Task) -> bool:
    """Its document told sums; the rows they come from are elsewhere."""
    return Checkpoint.objects.filter(task=task, kind=Kind.IMPORTED).exists()


def _ordinals(task: Task) -> Iterator[str]:
    """No ordinal stands twice (the database sees to it), so first, last and number tell of every gap."""
    found = Checkpoint.objects.filter(task=task).aggregate(
        first=Min("ordinal"), last=Max("ordinal"), rows=Count("id")
    )
    if (found["last"] or 0) != task.last_ordinal:
        yield f"journal.last: the task says {task.last_ordinal}, the newest row is {found['last'] or 0}."
    if found["rows"] and (found["first"], found["last"]) != (1, found["rows"]):
        span = f"{found['rows']} rows go from {found['first']} to {found['last']}"
        yield f"journal.ordinals: {span}; some are missing."


def _status(task: Task) -> Iterator[str]:
    moved = Checkpoint.objects.filter(task=task, kind=Kind.STATUS).order_by("ordinal").last()
    if moved and moved.data.get("to") != task.status:
        yield f"status: the task is {task.status}, its journal says {moved.data.get('to')}."


def _fold(task: Task) -> Iterator[str]:
    """The last status that the journal tells of each step, against its row."""
    imported = _is_imported(task)
    last = -1
    while batch := list(Item.objects.filter(task=task, position__gt=last).order_by("position")[:AT_ONCE]):
        last = batch[-1].position
        told, there = _told(task, batch), _newest(batch)
        for name in sorted({*told, *there}):
            yield from _step(name, told.get(name), there.get(name, ()), imported=imported)


def _told(task: Task, items: Sequence[Item]) -> dict[Name, str]:
    rows = Checkpoint.objects.filter(task=task, item_key__in=[item.key for item in items], data__has_key="to")
    moves = rows.exclude(step="").order_by("ordinal").values_list("item_key", "step", "data__to")
    return {(key, step): to for key, step, to in moves if to}


def _newest(items: Sequence[Item]) -> dict[Name, Sequence[Step]]:
    """The revisions of each step, the newest last."""
    steps = Step.objects.filter(item__in=items).order_by("item_id", "name", "revision")
    rows = steps.only("name", "status", "revision", "executed_at", "item__key").select_related("item")
    return {name: list(group) for name, group in groupby(rows, key=lambda step: (step.item.key, step.name))}


def _step(name: Name, told: str | None, rows: Sequence[Step], *, imported: bool) -> Iterator[str]:
    place = f"items.{name[0]}.steps.{name[1]}"
    if not rows:
        yield f"{place}: the journal says {told}, but there is no such step."
    elif rows[-1].status not in _possible(told, rows[-1], imported=imported):
        yield f"{place}: the row is {rows[-1].status}, the journal says {told or 'nothing of it'}."


def _possible(told: str | None, newest: Step, *, imported: bool) -> set[str]:
    """What the newest revision may be: a row is made as pending, an imported one as its document says, and
    a revision after a go-back may carry its result over, and one row tells of all steps that were cancelled
    with their task; none of these is worth a journal row of its own."""
    if newest.status == StepStatus.CANCELLED:
        return {StepStatus.CANCELLED}
    if told is None:
        return {newest.status} if imported else {StepStatus.PENDING}
    if told == StepStatus.SUPERSEDED and newest.revision > 1:
        return {StepStatus.SUPERSEDED, StepStatus.PENDING, *([StepStatus.DONE] if newest.executed_at else [])}
    return {told}
