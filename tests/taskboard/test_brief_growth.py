"""The brief is written under its task's lock: however many items there are, it reads a few rows of each kind."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from taskboard import lifecycle
from taskboard.engine import work
from taskboard.models import Checkpoint, Item, Kind, LedgerEntry, Step, Task
from taskboard.resume import brief, facts
from taskboard.start import start_task
from tests import long_workflows  # noqa: F401 registers them
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)
GROWING = ("taskboard_step", "taskboard_item", "taskboard_checkpoint", "taskboard_ledgerentry")


def plans(task: Task) -> list[str]:
    """How SQLite would look up each of the tables that grow with the task."""
    with CaptureQueriesContext(connection) as queries:
        brief.write(task)
    found = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            lines = [row[3] for row in cursor.fetchall()]
            if any(table in line for line in lines for table in GROWING):
                found += [f"{line}: {query['sql']}" for line in lines]
    return found


def test_every_row_that_it_reads_is_found_by_an_index(operator: Any) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("the plans of a small PostgreSQL tell nothing of a large one")
    task = start_task("stale", {"items": 3}, user=operator)
    work.until_idle(task.pk)
    found = plans(Task.objects.get(pk=task.pk))
    assert len(found) > 5
    for plan in found:
        assert not plan.startswith("SCAN taskboard_"), plan
        assert not plan.startswith("USE TEMP B-TREE FOR ORDER BY"), plan


def test_it_asks_as_often_for_many_items_as_for_few(operator: Any) -> None:
    counts = []
    for number in (2, 20):
        task = start_task("linear", {"items": number}, user=operator)
        work.until_idle(task.pk)
        with CaptureQueriesContext(connection) as queries:
            brief.write(Task.objects.get(pk=task.pk))
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_writes_are_counted_and_the_last_ones_named(operator: Any) -> None:
    task = start_task("linear", {"items": 20}, user=operator)
    work.until_idle(task.pk)
    task.refresh_from_db()
    number, latest = facts.last_writes(task)
    assert (number, len(latest)) == (40, facts.MOST)
    assert {step.name for step in latest} <= {"write", "tell"}
    assert "Writes done: 40. The latest:" in brief.write(task)


def test_what_people_settled_stays_however_much_comes_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "LATELY", 3)
    task = make_task()
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.PERSON, item="page_1", step="send", data={"did": "it happened"})
        change.record(Kind.RESULT, item="page_2", step="send", data={"found": True, "external_id": "T-2"})
        for _ in range(5):
            change.record(Kind.NOTE, data={"text": "on and on"})
        change.record(Kind.RESULT, item="page_3", step="send", data={"found": True, "external_id": "T-3"})
    text = brief.write(Task.objects.get(pk=task.pk))
    assert "page_1.send: it happened, said by ops" in text
    assert "page_3.send: it had happened T-3" in text
    assert "page_2" not in text
    assert Checkpoint.objects.people().filter(task=task).count() == 1


def test_old_facts_are_told_of_the_steps_that_come_next(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task(workflow="stale")
    for _ in range(3):
        item = make_item(task)
        make_step(item, "read", status="done", checked_at=NOW - timedelta(days=30))
        make_step(item, "act")
    assert "read of 3 of the next items is older than 4:00:00" in brief.write(Task.objects.get(pk=task.pk))
    monkeypatch.setattr(facts, "NEXT", 2)
    assert "read of 2 of the next items" in brief.write(Task.objects.get(pk=task.pk))


def test_items_that_need_a_person_come_in_their_order() -> None:
    task = make_task()
    for number in range(8):
        make_item(task, status="blocked" if number % 2 else "waiting_approval")
        make_item(task, status="done")
    stuck = [item.position for item in facts.stuck(task)]
    assert stuck == sorted(stuck) == list(range(1, 16, 2))
    assert Item.objects.filter(task=task).count() == 16


def test_estimates_are_told_apart(operator: Any) -> None:
    task = make_task(spent_micro=30_000)
    for number, estimated in enumerate((True, False, True)):
        LedgerEntry.objects.create(
            task=task, at=NOW, amount_micro=10_000, estimated=estimated, source=f"s{number}"
        )
    assert "0.03 USD spent (0.02 estimated)" in brief.write(task)
    assert not Step.objects.filter(task=task).exists()
