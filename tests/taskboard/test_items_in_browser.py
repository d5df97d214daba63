"""The items table in a real browser: what a person types and ticks stays while rows change around it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import bulk, lifecycle
from taskboard.models import BulkJob, Item, ItemStatus, Step, StepStatus, Task, TaskStatus
from taskboard.steering.steer import retry_step
from tests.browser import Browser
from tests.factories import make_item, make_step, make_task
from tests.processes import until

pytestmark = pytest.mark.browser
Browse = Callable[..., Any]
SOON = 30_000
"""Milliseconds; a busy machine is slow, a broken page never gets there."""


@pytest.fixture
def task(transactional_db: None) -> Task:
    """Three items that failed at their first step."""
    task = make_task(workflow="linear", status=TaskStatus.COMPLETED)
    for key in ("a.html", "b.html", "c.html"):
        item = make_item(task, key, status=ItemStatus.FAILED, stage="look")
        make_step(item, "look", status=StepStatus.FAILED, error="no answer")
    return task


def fail_again(task: Task, key: str, error: str) -> None:
    """The note of a row changes."""
    Step.objects.filter(task=task, item__key=key).update(error=error)
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=error)


def test_ticks_and_typed_filters_stay_while_rows_change(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    """UX-01."""
    page = browse(operator)
    page.goto(task.get_absolute_url())
    rows = page.locator("#items tr")
    rows.nth(0).locator("input").check()
    rows.nth(2).locator("input").check()
    browser.expect(page.locator("[data-picked]")).to_have_text("2 items ticked", timeout=SOON)
    field = page.locator(".items-filter input[name=text]")
    field.fill("half a ")
    for number in range(4):
        fail_again(task, "a.html", f"no answer {number}")
        browser.expect(rows.nth(0)).to_contain_text(f"no answer {number}", timeout=SOON)
        page.keyboard.type("w")
    assert field.input_value() == "half a wwww"
    assert [rows.nth(n).locator("input").is_checked() for n in range(3)] == [True, False, True]
    browser.expect(page.locator("[data-picked]")).to_have_text("2 items ticked")
    assert page.faults == []


def test_rows_of_a_filter_stay_and_others_are_announced(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(f"{task.get_absolute_url()}?status=failed")
    browser.expect(page.locator("#live-lost")).to_be_hidden()
    retry_step(Step.objects.get(task=task, item__key="b.html"), operator)
    row = page.locator("#items tr", has_text="b.html")
    browser.expect(row).to_contain_text("Running", timeout=SOON)
    assert page.locator("#items tr").count() == 3
    page.get_by_role("link", name="By now other items belong here").click()
    browser.expect(page.locator("#items tr")).to_have_count(2, timeout=SOON)


def test_many_items_are_tried_again_and_watched(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(f"{task.get_absolute_url()}?text=html")
    page.get_by_label("all 3 that match").check()
    page.get_by_role("button", name="Try again").click()
    browser.expect(page.get_by_role("heading", level=1)).to_have_text("Try again: 3 items", timeout=SOON)
    page.get_by_role("button", name="Try again: 3 items").click()
    browser.expect(page.locator("#progress")).to_contain_text("0 of 3 items", timeout=SOON)
    until(BulkJob.objects.exists, what="the job")
    bulk.carry_on(BulkJob.objects.get().pk, seconds=60)
    browser.expect(page.locator("#progress")).to_contain_text("3 of 3 items", timeout=SOON)
    assert Item.objects.filter(task=task, status=ItemStatus.RUNNING).count() == 3
    page.get_by_role("link", name="Show all results").click()
    browser.expect(page.locator(".bulk-results tbody tr")).to_have_count(3, timeout=SOON)
    assert page.faults == []
