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
LEASE = {"TASKBOARD_LEASE_SECONDS": "3"}
SOON = 20_000
LONG = 120.0


@pytest.fixture
def broker(request: pytest.FixtureRequest) -> dict[str, str]:
    """Folders beside SQLite, Redis beside PostgreSQL."""
    if connection.vendor == "sqlite":
        return {}
    return {"CELERY_BROKER_URL": request.getfixturevalue("redis_url")}


@pytest.fixture
def workers(processes: Processes, broker: dict[str, str], site: str) -> Callable[[], Any]:
    """Scheduler and resumer run; the returned function starts a worker."""
    processes.env |= LEASE | broker
    schedule = processes.logs / "schedule"
    processes.celery("beat", "--pidfile=", "--schedule", str(schedule), name="beat")
    processes.worker("short")
    return lambda: processes.worker("steps")


@pytest.fixture
def wcag() -> str:
    """Two hundred real pages; where they lie is said by the environment."""
    folder = os.environ.get("TASKBOARD_TEST_SITE", "")
    if not folder:
        missing("The site of 200 pages (TASKBOARD_TEST_SITE names its folder)")
    return folder


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
    wcag: str,
) -> None:
    processes.env["TASKBOARD_SOURCES"] = wcag
    audit(browse, browser, workers, processes, operator, manager, source=wcag, approve_over=12, reject=False)


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
    browser.expect(page.locator("#summary")).to_contain_text("Waiting for approval", timeout=LONG * 1000)
    until(lambda: status(task) == "waiting", LONG, "waiting for the decisions")
    decide(browse(manager), browser, reject)
    browser.expect(page.locator("#status")).to_contain_text("Completed", timeout=LONG * 1000)
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
        page.locator("textarea[name=reason]").fill("looked at it")
        before = Approval.objects.filter(status="open").count()
        page.get_by_role("button", name=verb, exact=True).click()
        until(
            lambda before=before: Approval.objects.filter(status="open").count() == before - 1,
            what="the decision",
        )
    browser.expect(page.locator("#question")).not_to_contain_text("Approve", timeout=SOON)


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
