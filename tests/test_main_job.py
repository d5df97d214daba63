"""The whole product at work: a real audit is started in a browser, its worker killed, its questions decided.

On SQLite with the embedded broker, on PostgreSQL with Redis, as the two installations are.
"""

import os
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.management import call_command
from django.db import connection

from approvals.models import Approval
from taskboard import journal
from taskboard.models import Item, Step, StepStatus, Task
from tests.browser import Browser
from tests.environment import missing
from tests.processes import Processes, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SITE = os.environ.get("TASKBOARD_TEST_SITE", "")
"""The folder of a site of two hundred real pages."""
SOON = 20_000
LONG = 120.0


@pytest.fixture(autouse=True)
def installation(processes: Processes, request: pytest.FixtureRequest) -> None:
    """Folders as the broker beside SQLite, Redis beside PostgreSQL; set before any process starts."""
    processes.env |= {"TASKBOARD_LEASE_SECONDS": "3", "TASKBOARD_SOURCES": SITE}
    if connection.vendor == "postgresql":
        processes.env["CELERY_BROKER_URL"] = request.getfixturevalue("redis_url")


@pytest.fixture
def workers(processes: Processes, site: str) -> Callable[[], Any]:
    """Scheduler and resumer run; the returned function starts a worker."""
    schedule = processes.logs / "schedule"
    processes.celery("beat", "--pidfile=", "--schedule", str(schedule), name="beat")
    processes.worker("short")
    return lambda: processes.worker("steps")


def test_the_sample_site_is_audited_to_its_end(
    browse: Any,
    browser: Browser,
    workers: Any,
    processes: Processes,
    operator: AbstractBaseUser,
    manager: AbstractBaseUser,
) -> None:
    audit(
        browse, browser, workers, processes, operator, manager, source="sample", approve_over=5, reject=True
    )


@pytest.mark.slow
def test_two_hundred_real_pages_are_audited_to_their_end(
    browse: Any,
    browser: Browser,
    workers: Any,
    processes: Processes,
    operator: AbstractBaseUser,
    manager: AbstractBaseUser,
) -> None:
    if not SITE:
        missing("The site of 200 pages (TASKBOARD_TEST_SITE names its folder)")
    audit(browse, browser, workers, processes, operator, manager, source=SITE, approve_over=5, reject=False)


def audit(
    browse: Any,
    browser: Browser,
    workers: Any,
    processes: Processes,
    operator: AbstractBaseUser,
    manager: AbstractBaseUser,
    *,
    source: str,
    approve_over: int,
    reject: bool,
) -> None:
    worker = workers()
    page = browse(operator)
    task = start(page, source, approve_over)
    until(lambda: done(task, "create_ticket") >= 3, LONG, "the first tickets")
    processes.kill(worker, signal.SIGKILL)
    workers()
    browser.expect(page.locator("#state")).to_contain_text("Waits for people", timeout=LONG * 1000)
    until(lambda: status(task) == "waiting", LONG, "waiting for the decisions")
    decide(browse(manager), browser, reject)
    browser.expect(page.locator("#state")).to_contain_text("Completed", timeout=LONG * 1000)
    assert page.faults == []
    nothing_is_doubled_or_lost(task, processes)


def start(page: Any, source: str, approve_over: int) -> Task:
    page.goto("/tasks/new/")
    page.get_by_role("link", name="SEO audit").click()
    page.get_by_label("Source").fill(source)
    page.get_by_label("Ask a manager from").fill(str(approve_over))
    page.get_by_label("Crawl delay").fill("0.2")
    page.get_by_label("Price per page").fill("0.01")
    page.get_by_label("Budget").fill("20")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/tasks/task_*/")
    return Task.objects.get()


def decide(page: Any, browser: Browser, reject: bool) -> None:
    """Every question in the inbox, one after the other; the first is rejected if so wanted."""
    page.goto("/approvals/")
    asked = Approval.objects.filter(status="open").count()
    assert asked > 0
    for number in range(asked):
        verb = "Reject" if reject and number == 0 else "Approve"
        shown = page.locator("#question-title").inner_text()
        page.locator("form.decide textarea[name=reason]").fill("looked at it")
        page.get_by_role("button", name=verb, exact=True).click()
        browser.expect(page.locator("#question", has_text=shown)).to_have_count(0, timeout=SOON)
    assert not Approval.objects.filter(status="open").exists()


def nothing_is_doubled_or_lost(task: Task, processes: Processes) -> None:
    task.refresh_from_db()
    call_command("checktasks", task.public_id)
    ordinals = [row.ordinal for row in journal.stream(task)]
    assert ordinals == list(range(1, len(ordinals) + 1))
    keys = tickets(Path(processes.env["TASKBOARD_VAR"]))
    wanted = Step.objects.filter(task=task, name="create_ticket", status=StepStatus.DONE)
    assert sorted(keys) == sorted(wanted.values_list("idempotency_key", flat=True))
    assert len(keys) == len(set(keys)) > 0
    settled = Item.objects.filter(task=task).listed().filter(status__in=("done", "rejected"))
    assert settled.count() == task.total
    assert task.spent_micro >= 10_000 * task.total
    assert task.reserved_micro == 0


def tickets(var: Path) -> list[str]:
    with sqlite3.connect(var / "tickets.sqlite3") as book:
        return [row[0] for row in book.execute("SELECT key FROM ticket")]


def done(task: Task, step: str) -> int:
    return Step.objects.filter(task=task, name=step, status=StepStatus.DONE).count()


def status(task: Task) -> str:
    return str(Task.objects.values_list("status", flat=True).get(pk=task.pk))
