"""The audit of the bundled sample site, by the real engine, from start to report."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from approvals import decisions, resumer
from approvals.models import Approval
from taskboard import lifecycle
from taskboard.declaration import undo_name
from taskboard.engine import advance, goback, work
from taskboard.models import Artifact, Step, StepStatus, Task, TaskStatus
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.workflows.seo_audit import files, findings
from taskboard.workflows.seo_audit.diagnosis import examine
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.ticket_book import TicketBook
from taskboard.workflows.seo_audit.tracker import book_path
from tests.seo_audit.steps import indexed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, settings: Any) -> None:
    storage = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "files"},
    }
    settings.STORAGES = {**settings.STORAGES, "default": storage}
    settings.TASKBOARD_VAR = tmp_path
    settings.TASKBOARD_TRACKER_URL = ""


def count(task: Task, **match: Any) -> int:
    return Step.objects.filter(task=task, **match).count()


def decide_all(task: Task, manager: Any) -> list[str]:
    """The first question is answered with no, all others with yes. Returns what was asked."""
    questions = list(Approval.objects.filter(task=task).order_by("pk"))
    for number, question in enumerate(questions):
        outcome = "approve" if number else "reject"
        decisions.decide(question.pk, manager, outcome, reason="checked", digest=question.payload_sha256)
    resumer.pick_up_all(task)
    return [question.action for question in questions]


def work_on(task: Task) -> None:
    work.until_idle(task.pk)
    task.refresh_from_db()


def test_it_waits_for_the_manager_and_then_completes(operator: Any, manager: Any, tmp_path: Path) -> None:
    params = {"approve_over": 20, "price_per_page": "0.01"}
    task = start_task("seo-audit", params, user=operator, limit_usd=Decimal(20))
    work_on(task)
    assert task.status == TaskStatus.WAITING
    assert "Rewrite 3 groups of duplicate titles" in decide_all(task, manager)
    work_on(task)
    assert task.status == TaskStatus.COMPLETED
    assert list(differences(task)) == []
    assert (task.item_counts["rejected"], str(task.spent_usd)) == (1, f"{task.total / 100:.2f}")
    assert {"report.md", "report.csv", "rewrite-titles.diff"} <= set(
        Artifact.objects.filter(task=task).values_list("name", flat=True)
    )
    keys = [ticket.key for ticket in TicketBook(book_path()).all()]
    wanted = count(task, name="create_ticket", status=StepStatus.DONE)
    assert wanted == len(keys) == len(set(keys)) == count(task, name="notify", status=StepStatus.DONE)
    assert count(task, name="create_ticket", verified_at=None, status=StepStatus.DONE) == 0


def test_started_anew_it_opens_no_second_ticket_and_sends_no_second_mail(
    operator: Any, tmp_path: Path
) -> None:
    params = {"approve_over": 1000, "price_per_page": "0", "source": "sample"}
    first, second = (start_task("seo-audit", params, user=operator) for _ in range(2))
    work_on(first)
    tickets, mails = len(list(TicketBook(book_path()).all())), len(list((tmp_path / "mail").iterdir()))
    work_on(second)
    assert second.step_counts["create_ticket"] == first.step_counts["create_ticket"]
    assert len(list(TicketBook(book_path()).all())) == tickets
    assert len(list((tmp_path / "mail").iterdir())) == mails
    told = Step.objects.filter(task=second, name="create_ticket", status=StepStatus.DONE)
    assert all(step.summary.startswith(f"Already there, from task {first.public_id}") for step in told)
    assert list(differences(second)) == []


def test_a_fix_is_taken_out_of_the_working_copy_before_it_is_made_anew(operator: Any) -> None:
    params = {"approve_over": 1000, "price_per_page": "0", "source": "sample"}
    task = start_task("seo-audit", params, user=operator)
    work_on(task)
    fix = (
        Step.objects.filter(task=task, name="apply_fix", status=StepStatus.DONE)
        .select_related("item")
        .first()
    )
    assert fix is not None
    there = files.read(fix.external_id)
    with lifecycle.changing(task.pk, "test") as change:
        goback.supersede(change, fix.item, "apply_fix", "once more")
        advance.follow(change, [fix.item_id])
    work_on(task)
    taken_back = Step.objects.get(task=task, item=fix.item, name=undo_name("apply_fix"))
    anew = Step.objects.current().get(task=task, item=fix.item, name="apply_fix")
    assert (taken_back.status, anew.status, anew.revision) == (StepStatus.DONE, StepStatus.DONE, 2)
    assert taken_back.finished_at <= anew.started_at
    assert files.read(anew.external_id) == there
    assert list(differences(task)) == []


def test_the_sample_has_every_kind_of_fault_and_pages_without_any(db: None) -> None:
    pages = SitePage.objects.filter(task=indexed("sample"))
    found = [{finding.code for finding in examine(page)} for page in pages]
    assert 36 <= len(found) <= 48
    assert set().union(*found) == set(findings.KINDS) - {"page.unreadable"}
    assert set() in found
    assert pages.get(path="journal/winter-kiln.html").description.endswith("a façade of ice on the gutter.")
