"""About how large tasks are: items, steps and journal from their counters; the rows of the other tables are counted
by index, in one query for the smaller of them."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from django.core.files.storage import FileSystemStorage
from django.db import models
from django.db.models import Count, OuterRef, Subquery, Sum

from taskboard import artifacts
from taskboard.models import Artifact, Checkpoint, Item, Step, Task
from taskboard.retention.tables import Table, tables

PER_ROW: Mapping[str, int] = {
    "taskboard.item": 400, "taskboard.step": 900, "taskboard.checkpoint": 500, "taskboard.task": 4000,
    "approvals.approval": 2500,
}  # fmt: skip
"""Bytes of a row with its places in the indexes, as measured on PostgreSQL."""
OTHER_ROWS = 500
Rows = models.QuerySet[Any]
BY_COUNTERS = (Item, Step, Checkpoint)
MOST_FILES = 500
"""At most this many files of a task are looked at for a list."""
MOST_STEPS = 100_000
"""Of the smallest tasks with so many steps together the other rows are counted for a list, and of at least one task;
the larger ones are taken to have as many per step."""


@dataclass(frozen=True)
class Size:
    """Estimated: `bytes` are those of the rows and of the stored files together."""

    rows: int
    bytes: int
    files: int


def about(tasks: Sequence[Task]) -> dict[int, Size]:
    """By the keys of the tasks."""
    others, files = _other_rows(tasks), _files(tasks)
    found = {}
    for task in tasks:
        rows = _counters(task) | others[task.pk]
        number, stored = files[task.pk]
        found[task.pk] = Size(sum(rows.values()), of_rows(rows) + stored, number)
    return found


def of_rows(rows: Mapping[str, int]) -> int:
    """About how many bytes so many rows of each table take."""
    return sum(number * PER_ROW.get(label, OTHER_ROWS) for label, number in rows.items())


def _counters(task: Task) -> dict[str, int]:
    return {
        "taskboard.task": 1, "taskboard.item": task.total, "taskboard.step": _steps(task),
        "taskboard.checkpoint": task.last_ordinal,
    }  # fmt: skip


def _steps(task: Task) -> int:
    return sum(sum(per.values()) for per in task.step_counts.values())


def _other_rows(tasks: Sequence[Task]) -> dict[int, Counter[str]]:
    by_size = sorted(tasks, key=_steps)
    together = list(accumulate(map(_steps, by_size)))
    few = max(1, bisect_right(together, MOST_STEPS))
    known = _counted(by_size[:few])
    total, steps = sum(known.values(), Counter()), max(1, sum(map(_steps, by_size[:few])))
    alike = {
        task.pk: Counter({label: number * _steps(task) // steps for label, number in total.items()})
        for task in by_size[few:]
    }
    return known | alike


def _counted(tasks: Sequence[Task]) -> dict[int, Counter[str]]:
    others = [table for table in tables() if table.model not in (Task, *BY_COUNTERS)]
    counts = {f"n{place}": _count(table) for place, table in enumerate(others)}
    keys = [task.pk for task in tasks]
    rows = Task.objects.filter(pk__in=keys).values_list("pk").annotate(**counts).order_by()
    labels = [table.label for table in others]
    return {pk: Counter(dict(zip(labels, (n or 0 for n in numbers), strict=True))) for pk, *numbers in rows}


def _count(table: Table) -> Subquery:
    """The rows of one task in this table."""
    rows: Rows = models.QuerySet(table.model).filter(**{table.path: OuterRef("pk")}).order_by()
    return Subquery(rows.values(table.path).annotate(number=Count("pk")).values("number"))


def _files(tasks: Sequence[Task]) -> dict[int, tuple[int, int]]:
    """How many stored files each task has, and their bytes. A storage far away is not asked for the files that are no
    artifacts, as the working copy of a site."""
    found = {task.pk: (0, 0) for task in tasks}
    stored = Artifact.objects.filter(task__in=found, managed=True).order_by()
    for pk, number, size in stored.values_list("task").annotate(Count("pk"), Sum("size")):
        found[pk] = (number, size or 0)
    if isinstance(artifacts.storage(), FileSystemStorage):
        for task in tasks:
            sizes = [size for _place, size in islice(artifacts.files(task.public_id), MOST_FILES)]
            found[task.pk] = max(found[task.pk], (len(sizes), sum(sizes)))
    return found
