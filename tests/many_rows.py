"""Many rows, quickly, and how many of them the database had to touch for a page."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from taskboard.models import Item, Task
from tests.factories import NOW

OPS_PER_ROW = 3
"""So few steps of SQLite's machine read a row at least."""


def fill_journal(task: Task, number: int, kind: str = "intent") -> None:
    """Rows of a journal; no checkpoint of ours would be so many."""
    first = task.journal.count()
    columns = "task_id, ordinal, at, kind, item_key, step, attempt, actor, data"
    values = "%s, {first} + n, %s, %s, 'page_' || (n %% 100), 'look', 1, 'worker', '{{}}'"
    _insert("taskboard_checkpoint", columns, values.format(first=first), number, [task.pk, NOW, kind])


def fill_items(task: Task, number: int) -> None:
    """Items, each with one step that is done."""
    columns = "task_id, key, label, position, status, stage, params, go_backs, cost_micro, updated_at"
    values = "%s, 'item_' || n, '', n, 'done', '', '{}', 0, 0, %s"
    _insert("taskboard_item", columns, values, number, [task.pk, NOW])
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO taskboard_step ({', '.join(STEP)})"
            f" SELECT {', '.join(STEP.values())} FROM taskboard_item WHERE task_id = %s",
            [task.pk],
        )
        cursor.execute("ANALYZE")
    assert Item.objects.filter(task=task).count() >= number


STEP = {
    "task_id": "task_id", "item_id": "id", "name": "'look'", "revision": "1", "position": "position",
    "status": "'done'", "attempt": "1", "failures": "0", "deaths": "0", "external_id": "''", "summary": "''",
    "error": "''", "error_class": "''", "action_sha256": "''", "lease_owner": "''", "verified_how": "''",
    "cost_micro": "0", "reserved_micro": "0",
}  # fmt: skip


@dataclass
class Touched:
    """How many rows were read, in about."""

    rows: int = 0


@contextmanager
def touched() -> Iterator[Touched]:
    """SQLite counts the steps of its machine, PostgreSQL explains each query."""
    found = Touched()
    watch: Callable[[Touched], Any] = _steps if connection.vendor == "sqlite" else _explained
    with watch(found):
        yield found


@contextmanager
def _steps(found: Touched) -> Iterator[None]:
    connection.ensure_connection()

    def count() -> int:
        found.rows += 100 // OPS_PER_ROW
        return 0

    connection.connection.set_progress_handler(count, 100)
    try:
        yield
    finally:
        connection.connection.set_progress_handler(None, 0)


@contextmanager
def _explained(found: Touched) -> Iterator[None]:
    with CaptureQueriesContext(connection) as captured:
        yield
    for query in list(captured):
        if query["sql"].lstrip().upper().startswith("SELECT"):
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + query["sql"].replace("%", "%%"), [])
                told = cursor.fetchone()[0]
            plan = json.loads(told) if isinstance(told, str) else told
            found.rows += _read(plan[0]["Plan"])


def _read(node: dict[str, Any]) -> int:
    """What the scans of a plan read, with what they threw away."""
    own = 0
    if "Scan" in node["Node Type"]:
        own = (
            node["Actual Rows"]
            + node.get("Rows Removed by Filter", 0)
            + node.get("Rows Removed by Index Recheck", 0)
        )
        own *= node["Actual Loops"]
    return int(own) + sum(_read(child) for child in node.get("Plans", ()))


def _insert(table: str, columns: str, values: str, number: int, params: list[Any]) -> None:
    if connection.vendor == "sqlite":
        series = "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < %s)"
        source = "series"
    else:
        series, source = "WITH series(n) AS (SELECT * FROM generate_series(1, %s))", "series"
    with connection.cursor() as cursor:
        cursor.execute(
            f"{series} INSERT INTO {table} ({columns}) SELECT {values} FROM {source}",
            [number, *params],
        )
        cursor.execute("ANALYZE")
