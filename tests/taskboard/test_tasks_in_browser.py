"""The list of tasks in a real browser: it changes without jumping."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import lifecycle
from taskboard.models import Task, TaskStatus
from taskboard.steering import queue
from tests.browser import Browser
from tests.factories import make_task
from tests.processes import until

pytestmark = pytest.mark.browser
SOON = 30_000


def move(task: Task, status: TaskStatus) -> None:
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_task(change, status)


def test_a_known_row_changes_in_place_and_others_are_announced(
    browse: Callable[..., Any], browser: Browser, operator: AbstractBaseUser, transactional_db: None
) -> None:
    first, other = make_task(goal="First", status=TaskStatus.WAITING), make_task(goal="Other")
    page = browse(operator)
    page.goto("/?tab=waiting")
    rows, tabs = page.locator("tbody tr"), page.locator("#tabs a[aria-current]")
    browser.expect(tabs).to_have_text("Waiting 1", timeout=SOON)
    move(other, TaskStatus.PAUSED)
    browser.expect(page.get_by_role("link", name="1 more task belongs here now")).to_be_visible(timeout=SOON)
    browser.expect(tabs).to_have_text("Waiting 2", timeout=SOON)
    move(first, TaskStatus.PAUSED)
    browser.expect(page.locator(f"#task-{first.pk}")).to_contain_text("Paused", timeout=SOON)
    browser.expect(rows).to_have_count(1, timeout=SOON)
    page.get_by_role("link", name="1 more task belongs here now").click()
    browser.expect(page.locator(f"#task-{other.pk}")).to_be_visible(timeout=SOON)
    assert page.faults == []


def test_the_buttons_of_the_queue_outlive_every_update(
    browse: Callable[..., Any], browser: Browser, operator: AbstractBaseUser, transactional_db: None
) -> None:
    first, second = (
        make_task(goal=goal, status=TaskStatus.PENDING, started_at=None, queue_position=place)
        for place, goal in enumerate(("First", "Second"), 1)
    )
    page = browse(operator)
    page.goto("/?tab=queue")
    up = page.get_by_role("button", name=f"Move {second.public_id} up")
    up.focus()
    with lifecycle.changing(second.pk, "test") as change:
        change.set(created_by_name="somebody else")
    browser.expect(page.locator(f"#task-{second.pk}")).to_contain_text("somebody else", timeout=SOON)
    page.keyboard.press("Enter")
    until(lambda: [task.pk for task in queue.waiting()] == [second.pk, first.pk])
    browser.expect(page.locator("tbody tr").first).to_contain_text("Second", timeout=SOON)
    move(second, TaskStatus.CANCELLED)
    browser.expect(page.locator(f"#task-{second.pk}")).to_contain_text("Cancelled", timeout=SOON)
    browser.expect(up).to_be_hidden(timeout=SOON)
    assert page.faults == []
