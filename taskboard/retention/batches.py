"""Removing the rows of a task leaf first, a short transaction at a time: no lock is held for long."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection, models, transaction
from django.db.models import Exists, Q

from taskboard.errors import NotFound
from taskboard.journal import journal_unlocked
from taskboard.models import Checkpoint, Task
from taskboard.retention.tables import pointers, tables

MOST = 1000
"""Rows of one transaction, at most."""
FEWEST = 100
LONGEST = 0.1
"""Seconds: a batch that took longer is followed by half as many rows."""
QUICK = 0.02
PAUSE = 0.002
"""Between two batches on SQLite, whose lock is unfair: otherwise a person's click would wait for long."""

Rows = models.QuerySet[Any]


@dataclass(frozen=True)
class Some:
    """Rows of one table that go (or, with `key`, that stay and forget the task): some at a time."""

    rows: Rows
    key: str = ""

    def __call__(self, most: int) -> int:
        """Remove or empty at most so many; returns how many."""
        model = self.rows.model
        if self.key:
            chosen = list(self.rows.values_list("pk", flat=True)[:most])
            forgotten = model._base_manager.filter(pk__in=chosen)
            return int(forgotten.update(**{self.key: None})) if chosen else 0
        goes: Rows = models.QuerySet(model).filter(pk__in=self.rows.values("pk")[:most])
        with journal_unlocked() if model is Checkpoint else nullcontext():
            return int(goes._raw_delete(goes.db))


class Pace:
    """How many rows at once: as many as this database manages in a moment."""

    def __init__(self) -> None:
        self.rows = min(MOST, 2 * FEWEST)

    def took(self, seconds: float) -> None:
        if seconds > LONGEST:
            self.rows = max(self.rows // 2, min(FEWEST, MOST))
        elif seconds < QUICK:
            self.rows = min(self.rows * 2, MOST)


def what_goes(task: Task) -> list[Some]:
    """The keys that point here are emptied first, then the tables leaf first."""
    emptied = [Some(pointer.rows(task), pointer.field) for pointer in pointers()]
    return [*emptied, *(Some(table.rows(task)) for table in tables())]


def batch(task_pk: int, some: Some, pace: Pace, then: Callable[[int], Any]) -> int:
    """One short transaction, with what has to be written `then`; none where nothing is left. Another run may have
    finished meanwhile."""
    if not some.rows.exists():
        return 0
    began = time.monotonic()
    try:
        with locked(task_pk):
            number = some(pace.rows)
            then(number)
    except NotFound:
        return 0
    pace.took(time.monotonic() - began)
    return number


def breathe() -> None:
    if connection.vendor == "sqlite":
        time.sleep(PAUSE)


@contextmanager
def locked(task_pk: int) -> Iterator[Task]:
    """A transaction that holds the task's lock; raises NotFound if the task is gone."""
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(pk=task_pk).first()
        if task is None:
            raise NotFound("This task does not exist (any more).")
        yield task


def remove_task(task: Task) -> None:
    """What was written while the rows went (a late report) goes with the task itself, under its lock. One question
    for all tables: there is hardly ever anything left."""
    left = reduce(or_, (Q(Exists(some.rows)) for some in what_goes(task)))
    if Task.objects.filter(left, pk=task.pk).exists():
        for some in what_goes(task):
            while some(MOST):
                pass
    models.QuerySet(Task).filter(pk=task.pk)._raw_delete(connection.alias)
