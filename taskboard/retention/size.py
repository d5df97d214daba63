"""About how large a task is: from its counters, without counting a row."""

from collections.abc import Mapping
from dataclasses import dataclass

from taskboard.models import Task

PER_ROW: Mapping[str, int] = {
    "taskboard.item": 400, "taskboard.step": 900, "taskboard.checkpoint": 500, "taskboard.task": 4000,
    "approvals.approval": 2500,
}  # fmt: skip
"""Bytes of a row with its places in the indexes, as measured on PostgreSQL (docs/retention.md)."""
OTHER_ROWS = 500


@dataclass(frozen=True)
class Size:
    """Estimated."""

    rows: int
    bytes: int


def about(task: Task) -> Size:
    """Items, steps and journal, which are nearly all of a task."""
    steps = sum(sum(per.values()) for per in task.step_counts.values())
    rows = {
        "taskboard.task": 1, "taskboard.item": task.total, "taskboard.step": steps,
        "taskboard.checkpoint": task.last_ordinal,
    }  # fmt: skip
    return Size(sum(rows.values()), of_rows(rows))


def of_rows(rows: Mapping[str, int]) -> int:
    """About how many bytes so many rows of each table take."""
    return sum(number * PER_ROW.get(label, OTHER_ROWS) for label, number in rows.items())
