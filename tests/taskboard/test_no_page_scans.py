"""No page reads a large table from end to end: each of its queries is explained by the database itself."""

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from approvals.models import Approval
from bench.page_rows import make_task, make_tasks
from taskboard.models import Item
from tests.conftest import logged_in
from tests.factories import make_approval, make_asking_step

ITEMS, TASKS = 1_500, 200
LARGE = ("taskboard_item", "taskboard_step", "taskboard_checkpoint", "taskboard_ledgerentry")
"""Those that grow with the items; tasks are thousands at most, and the counts of the tabs read them all."""
ON_SQLITE = re.compile(r"SCAN (\w+)")
ON_POSTGRES = re.compile(r"Seq Scan on (\w+)")
PAGES = (
    "{task}", "{task}?status=failed", "{task}?step=create_ticket&at=failed", "{task}?sort=-cost",
    "{task}?fits=retry", "{task}?fits=-retry&status=done", "{task}bulk/?action=retry&all=1",
    "{task}?sort=-updated", "{task}?after={last}", "{task}journal/", "{task}journal/?kind=faults", "{task}brief/",
    "{task}state/", "{task}compare/", "{item}", "/", "/?tab=running", "/?tab=attention", "/?tab=finished&sort=-cost",
    "/?q=owner:ops", "/items/?q=page_000", "/items/?q=T-1042", "/activity/", "/attention/", "/approvals/",
    "/approvals/?show=decided", "/approvals/{question}/",
)  # fmt: skip


@pytest.fixture
def places(operator: AbstractBaseUser) -> dict[str, str]:
    """A large task among many, and a question."""
    task = make_task(ITEMS)
    make_tasks(TASKS)
    make_approval(make_asking_step())
    pretend_a_hundred_times_as_many()
    item = Item.objects.get(task=task, position=ITEMS // 2)
    return {
        "task": task.get_absolute_url(), "item": item.get_absolute_url(), "last": f"{item.position}~{item.pk}",
        "question": str(Approval.objects.get().pk),
    }  # fmt: skip


def pretend_a_hundred_times_as_many() -> None:
    """SQLite plans by the figures of its last ANALYZE; of few rows it would rightly read all."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT rowid, stat FROM sqlite_stat1")
        for row, stat in cursor.fetchall():
            number, _space, rest = str(stat).partition(" ")
            cursor.execute(
                "UPDATE sqlite_stat1 SET stat = %s WHERE rowid = %s", [f"{number}00 {rest}".strip(), row]
            )
        cursor.execute("ANALYZE sqlite_schema")


def queries(person: AbstractBaseUser, address: str) -> list[str]:
    client = logged_in(person)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code in (200, 404)
    return [one["sql"] for one in captured.captured_queries if one["sql"].startswith("SELECT")]


def scanned(sql: str) -> Iterator[str]:
    """The large tables that the database would read as a whole."""
    postgres = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if postgres:
            cursor.execute(
                "SET LOCAL enable_seqscan = off"
            )  # small as they are, reading them whole would be right
        cursor.execute(("EXPLAIN " if postgres else "EXPLAIN QUERY PLAN ") + sql.replace("%", "%%"))
        told = "\n".join(str(row[0] if postgres else row[3]) for row in cursor.fetchall())
    names = (ON_POSTGRES if postgres else ON_SQLITE).findall(told)
    yield from (name for name in names if name in LARGE)


def test_no_query_of_any_page_reads_a_large_table_as_a_whole(
    operator: AbstractBaseUser, places: dict[str, str]
) -> None:
    seen: set[str] = set()
    found = []
    for pattern in PAGES:
        for sql in queries(operator, pattern.format(**places)):
            shape = re.sub(r"\d+", "0", sql)
            if shape not in seen:
                seen.add(shape)
                found += [
                    f"{pattern}: {table}: …{sql[sql.index(' FROM ') :][:600]}" for table in scanned(sql)
                ]
    assert not found, "\n\n".join(found)


def test_a_scan_is_noticed(places: dict[str, str]) -> None:
    assert list(scanned("SELECT count(*) FROM taskboard_step WHERE summary = 'x'"))
