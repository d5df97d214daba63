"""A manager asks the audit for changes: the words reach the proposal, and what is asked anew heeds them."""

from pathlib import Path
from typing import Any

import pytest

from approvals.models import Approval
from taskboard.engine import work
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.workflows.seo_audit import files
from tests.approvals.answers import answer, sweep
from tests.seo_audit.steps import html, make_folder

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "<p>A paragraph that is long enough to be a description of this page, and then some more words.</p>"


@pytest.fixture
def asked(operator: Any, tmp_path: Path, settings: Any) -> Approval:
    """The question about the only page of a site."""
    storage = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "files"},
    }
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    settings.TASKBOARD_VAR, settings.TASKBOARD_SOURCES = tmp_path, [str(tmp_path)]
    settings.TASKBOARD_TRACKER_URL = ""
    site = make_folder(tmp_path / "site", {"index.html": html("Cups", f"<h1>Cups</h1>{TEXT}")})
    task = start_task("seo-audit", {"source": str(site), "approve_over": 0}, user=operator)
    work.until_idle(task.pk)
    return Approval.objects.get(task=task)


def again(asked: Approval, manager: Any, words: str) -> Approval:
    answer(asked, manager, "changes", words)
    sweep()
    work.until_idle(asked.task_id)
    return Approval.objects.get(task=asked.task, status="open")


def test_the_new_question_has_the_text_that_was_asked_for(asked: Approval, manager: Any) -> None:
    free = again(asked, manager, "Say more of the harbour")
    assert free.payload == asked.payload
    assert "cannot follow free words" in str(free.evidence)
    named = again(free, manager, "Description: Cups made beside the harbour")
    assert named.payload["description"] == "Cups made beside the harbour"
    assert "Taken word for word: Description." in str(named.evidence)
    answer(named, manager)
    sweep()
    work.until_idle(asked.task_id)
    written = files.read(files.changed_name(asked.task.public_id, "index.html"))
    assert b"Cups made beside the harbour" in (written or b"")
    assert list(differences(asked.task)) == []
