"""One log line per move, once it is committed."""

import logging
from typing import Any

import pytest

from taskboard import lifecycle
from taskboard.models import Kind, TaskStatus
from tests.factories import make_task

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "taskboard.journal"


def test_a_change_of_status_is_told_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    task = make_task()
    with caplog.at_level(logging.INFO, NAME), lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.NOTE, item="page_001", step="look", attempt=2)
        lifecycle.move_task(change, TaskStatus.PAUSED)
    (line,) = caplog.records
    assert (line.levelname, line.getMessage()) == ("INFO", "status paused")
    assert (told(line, "task"), told(line, "ordinal")) == (task.public_id, 3)


def test_each_row_is_told_in_detail(caplog: pytest.LogCaptureFixture) -> None:
    task = make_task()
    with caplog.at_level(logging.DEBUG, NAME), lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.INTENT, item="page_001", step="look", attempt=2, data={"to": "started"})
    (line,) = caplog.records
    assert (line.levelname, line.getMessage()) == ("DEBUG", "intent started")
    fields = [told(line, name) for name in ("task", "item", "step", "attempt", "ordinal")]
    assert fields == [task.public_id, "page_001", "look", 2, 2]


def test_what_is_rolled_back_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    task = make_task()
    with caplog.at_level(logging.DEBUG, NAME), pytest.raises(ZeroDivisionError):
        write_and_fail(task.pk)
    assert caplog.records == []


def write_and_fail(task_pk: int) -> None:
    with lifecycle.changing(task_pk, "ops") as change:
        change.record(Kind.NOTE)
        raise ZeroDivisionError


def told(line: logging.LogRecord, name: str) -> Any:
    return getattr(line, name)
