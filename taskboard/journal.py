"""Writing and reading the append-only journal."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from taskboard import rows
from taskboard.models import Checkpoint, Task

COLUMNS = ("task", "ordinal", "at", "kind", "item_key", "step", "attempt", "actor", "data")


def append(entries: Sequence[Sequence[Any]]) -> None:
    """Insert rows in the order of COLUMNS; the caller holds the task's lock and numbered them."""
    if entries:
        rows.insert(Checkpoint, COLUMNS, entries)


def is_there(entry: Sequence[Any]) -> bool:
    """Whether just this row was written, and not another one under its number."""
    told = dict(zip(COLUMNS[:-1], entry, strict=False))
    return Checkpoint.objects.filter(**told).exists()


def as_json(row: Checkpoint) -> dict[str, Any]:
    """A journal row as it stands in exports: empty columns left out."""
    told = {
        "ordinal": row.ordinal, "at": row.at.isoformat(), "kind": row.kind, "item": row.item_key, "step": row.step,
        "attempt": row.attempt, "actor": row.actor, "data": row.data,
    }  # fmt: skip
    return {name: value for name, value in told.items() if value not in ("", 0, {}) or name == "ordinal"}


def stream(task: Task) -> Iterator[Checkpoint]:
    """All rows of a task in order, in constant memory."""
    return Checkpoint.objects.filter(task=task).order_by("ordinal").iterator(chunk_size=1000)


@contextmanager
def journal_unlocked() -> Iterator[None]:
    """The one key to the append-only trigger; only retention uses it (and the tests' flush).
    Opens a transaction, so that the key is gone when it ends."""
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL taskboard.journal_key = 'open'")
            yield
            cursor.execute("SET LOCAL taskboard.journal_key = ''")
        else:
            cursor.execute("INSERT INTO taskboard_journal_key (open) VALUES (1)")
            yield
            cursor.execute("DELETE FROM taskboard_journal_key")
