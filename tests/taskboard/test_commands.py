"""What all commands have in common, and the small print of some."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard.errors import BadInput, NotAllowed
from taskboard.models import Task, TaskStatus
from taskboard.start import start_task
from taskboard.steering import steer
from tests import workflows  # noqa: F401 registers them
from tests.documents import example, load
from tests.factories import make_item, make_step, make_task
from tests.processes import ROOT

COMMAND = [sys.executable, "manage.py"]


@pytest.fixture
def empty(tmp_path: Path) -> dict[str, str]:
    """The surroundings of an installation without tables."""
    return {
        **os.environ,
        "TASKBOARD_VAR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}",
    }


def test_without_tables_it_says_what_to_run(empty: dict[str, str]) -> None:
    run = subprocess.run([*COMMAND, "purge"], cwd=ROOT, env=empty, capture_output=True, text=True)
    assert run.returncode == 1
    assert "manage.py migrate" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


def test_a_reader_that_leaves_is_no_error(empty: dict[str, str]) -> None:
    """As in `manage.py tickets --json | head -0`."""
    read, write = os.pipe()
    os.close(read)
    run = subprocess.run(
        [*COMMAND, "tickets", "--json"], cwd=ROOT, env=empty, stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert (run.returncode, run.stderr) == (141, "")


def called(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_document_is_printed_where_the_file_is_a_dash(db: None, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    task = load(example())
    assert json.loads(called("exporttask", task.public_id, "--out", "-"))["task_id"] == task.public_id
    assert list(tmp_path.glob("*")) == []
    with pytest.raises(CommandError, match="Name a file for the journal"):
        called("exporttask", task.public_id, "--journal", "-")


def test_an_unknown_workflow_is_told_and_stored(db: None, tmp_path: Path) -> None:
    path, err = tmp_path / "state.json", StringIO()
    path.write_text(json.dumps({**example(), "workflow": "of-another-place"}))
    call_command("importtask", str(path), stdout=StringIO(), stderr=err)
    assert "There is no workflow 'of-another-place' here" in err.getvalue()
    assert Task.objects.get().workflow == "of-another-place"


def test_a_check_prints_one_json_object(db: None) -> None:
    task = make_task()
    assert json.loads(called("checktasks", "--json")) == {"tasks": 1, "differences": []}
    Task.objects.filter(pk=task.pk).update(spent_micro=7)
    out = StringIO()
    with pytest.raises(CommandError, match="differences in 1 tasks"):
        call_command("checktasks", "--json", stdout=out)
    assert json.loads(out.getvalue())["differences"][0]["task"] == task.public_id


def test_who_may_not_operate_neither_starts_nor_resumes(manager: Any, operator: Any) -> None:
    with pytest.raises(CommandError, match="You do not have the right"):
        called("starttask", "linear", "--param", "items=1", "--as", "manager")
    with pytest.raises(NotAllowed):
        start_task("linear", {"items": 1}, user=manager)
    task = start_task("linear", {"items": 1}, user=operator)
    with pytest.raises(CommandError, match="You do not have the right"):
        called("resume", task.public_id, "--as", "manager")


def test_a_resume_is_told_in_words(operator: Any) -> None:
    told = called("resume", start_task("linear", {"items": 1}, user=operator).public_id, "--as", "ops")
    assert "1. load state: status: pending; last checkpoint: " in told
    assert "{" not in told


def test_a_budget_below_what_is_used_is_refused(manager: Any) -> None:
    task = make_task(limit_micro=9_000_000, spent_micro=2_000_000, reserved_micro=500_000)
    with pytest.raises(BadInput, match=r"Give at least 2\.50 USD"):
        steer.change_budget(task, manager, "2.49")
    steer.change_budget(task, manager, "2.50")
    task.refresh_from_db()
    assert str(task.limit_usd) == "2.50"


def test_a_resume_in_vain_is_told(operator: Any) -> None:
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED, out_of_budget=True, limit_micro=1)
    make_step(make_item(task), "look")
    told = called("resume", task.public_id, "--as", "ops")
    assert told.endswith("It stays blocked: the budget is used up. Raise it, or answer the question.\n")
