"""A journal row of an unknown shape is shown as it is and hinders nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from taskboard import lifecycle
from taskboard.engine import work
from taskboard.models import Task
from taskboard.resume.run import resume_task
from taskboard.start import start_task
from tests import workflows  # noqa: F401 registers them
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db(transaction=True)

SHAPES: list[Any] = [{"v": 99}, {}, "text", ["a", 1], 7, None]


@pytest.fixture
def task(operator: Any) -> Task:
    task = start_task("asking", {"items": 3}, user=operator)
    work.until_idle(task.pk)
    with lifecycle.changing(task.pk, "a later version") as change:
        for kind in ("resume", "result", "intent", "status", "of the future"):
            for data in SHAPES:
                row = {"item": "item_001", "step": "look", "attempt": 1, "data": {}}
                change.record(kind, **row)
                change._entries[-1] = (*change._entries[-1][:-1], data if data is not None else {})
    return task


def test_its_pages_open(task: Task, operator: Any) -> None:
    """DATA-01."""
    client = logged_in(operator)
    for place in ("", "journal/", "items/item_001/", "brief/"):
        answer = client.get(f"{task.get_absolute_url()}{place}")
        assert answer.status_code == 200, place
        if place == "journal/":
            assert "of the future" in answer.content.decode()


def test_it_can_be_resumed_and_exported(task: Task, tmp_path: Path) -> None:
    """DATA-01: nothing is rewritten."""
    resume_task(task, "ops")
    out = tmp_path / "journal.jsonl"
    call_command("exporttask", task.public_id, out=tmp_path / "state.json", journal=out)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    task.refresh_from_db()
    assert [row["ordinal"] for row in rows] == list(range(1, task.last_ordinal + 1))
    assert {"unreadable": "text"} in [row.get("data") for row in rows]
