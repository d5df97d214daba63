"""The example of docs/workflows.md, taken from the page and run as it stands there."""

import importlib.util
import re
import shlex
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from approvals import decisions
from approvals.models import Approval
from taskboard import workflow
from taskboard.engine import work
from taskboard.models import Task
from taskboard.sweep import sweep

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "workflows.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """The workflow of the page is known, and this is where its letters lie."""
    default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(tmp_path)}}
    settings.STORAGES = {**settings.STORAGES, "default": default}
    path = tmp_path / "reminders.py"
    path.write_text(block("python"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("reminders", path)
    assert spec
    assert spec.loader
    monkeypatch.setattr(workflow, "_registry", dict(workflow._registry))
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return tmp_path / "letters"


def start_as_the_page_says() -> Task:
    words = shlex.split(block("sh"))
    name, *arguments = words[2 : words.index(".venv/bin/python", 1)]
    told = StringIO()
    call_command(name, *arguments, stdout=told)
    return Task.objects.get(public_id=told.getvalue().splitlines()[-1])


def written(letters: Path) -> list[str]:
    return sorted(path.read_text(encoding="utf-8") for path in letters.iterdir())


def test_the_example_has_forty_lines() -> None:
    lines = [line for line in block("python").splitlines() if line.strip()]
    assert len(lines) <= 40


@pytest.mark.usefixtures("operator")
def test_it_writes_the_small_letter_and_asks_for_the_large_one(letters: Path, manager: Any) -> None:
    task = start_as_the_page_says()
    work.until_idle(task.pk)
    assert written(letters) == ["Dear Ada Ltd, please pay 120.50 USD."]

    asked = Approval.objects.get(task=task)
    assert asked.action == "Send a reminder to Bo Inc"
    decisions.decide(asked.pk, manager, "approve", digest=asked.payload_sha256)
    sweep()
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, task.item_counts) == ("completed", {"done": 2})
    assert written(letters)[1] == "Dear Bo Inc, please pay 900 USD."
