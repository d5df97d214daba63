"""CSV sheets of lists: UTF-8 without a byte order mark, commas, times with their offset, amounts as numbers."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from taskboard.cells import guarded
from taskboard.lists.paging import Order, ordered
from taskboard.models import Item, ItemStatus, Task
from taskboard.money import to_usd

MEDIA_TYPE = "text/csv; charset=utf-8"
AT_ONCE = 500
COUNTED = [status.value for status in ItemStatus]
TASK_COLUMNS = (
    "task", "goal", "workflow", "status", "held", "reason", "items", *COUNTED, "spent_usd", "reserved_usd", "limit_usd",
    "started_by", "created_at", "started_at", "updated_at", "finished_at",
)  # fmt: skip
ITEM_COLUMNS = ("key", "label", "status", "stage", "cost_usd", "go_backs", "updated_at")
"""`key` and `label` are named as the sheets that are read."""


class _Line:
    """What csv.writer writes to: it hands each line on instead of keeping it."""

    def write(self, line: str) -> str:
        return line


def tasks(found: QuerySet[Task], order: Order) -> Iterator[str]:
    rows = ordered(found.defer("plan", "params", "brief", "brief_note"), order)
    return sheet(TASK_COLUMNS, map(_task, rows.iterator(chunk_size=AT_ONCE)))


def items(found: QuerySet[Item], order: Order) -> Iterator[str]:
    rows = ordered(found.defer("params"), order)
    return sheet(ITEM_COLUMNS, map(_item, rows.iterator(chunk_size=AT_ONCE)))


def sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The lines of a sheet, many at a time. They are made while they are sent, when the reader's zone is no longer
    the current one: so it is taken along."""
    return _lines(columns, rows, timezone.get_current_timezone())


def _lines(columns: Sequence[str], rows: Iterable[Sequence[Any]], zone: tzinfo) -> Iterator[str]:
    write = csv.writer(_Line()).writerow
    yield write(columns)
    cells = ([_cell(value, zone) for value in row] for row in rows)
    while lines := [write(row) for row in islice(cells, AT_ONCE)]:
        yield "".join(lines)


def _cell(value: object, zone: tzinfo) -> object:
    """Text stays text for every spreadsheet, and numbers stay numbers."""
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat(timespec="seconds")
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else ("yes" if value else "no") if isinstance(value, bool) else value


def _task(task: Task) -> tuple[Any, ...]:
    counts = task.item_counts
    return (
        task.public_id, task.goal, task.workflow, task.status, task.held, task.reason, task.total,
        *(counts.get(name, 0) for name in COUNTED), task.spent_usd, task.reserved_usd, task.limit_usd,
        task.created_by_name, task.created_at, task.started_at, task.updated_at, task.finished_at,
    )  # fmt: skip


def _item(item: Item) -> tuple[Any, ...]:
    cost: Decimal = to_usd(item.cost_micro)
    return (item.key, item.label, item.status, item.stage, cost, item.go_backs, item.updated_at)
