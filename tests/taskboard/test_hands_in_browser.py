"""UX-01: what a person is doing on the task page survives four updates a second."""

import os
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import lifecycle
from taskboard.models import ItemStatus, Step, StepStatus, Task
from tests.browser import Browser
from tests.factories import make_item, make_step, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 30_000
SECONDS = float(os.environ.get("LIVE_SECONDS", "4"))
"""LIVE_SECONDS=60 for the whole minute."""
SELECT = """() => {
  const words = document.querySelector("#plan li") ?? document.querySelector("h1");
  getSelection().selectAllChildren(words);
  return getSelection().toString();
}"""


def make_rows(number: int) -> Task:
    task = make_task(workflow="linear", plan=["Read every page of the shop."], says="page 0")
    for place in range(number):
        make_step(make_item(task, f"page_{place:03}"), "look")
    return task


def update(task: Task, number: int) -> None:
    """The sentence, and one row after the other."""
    step = Step.objects.select_related("item").filter(task=task, status=StepStatus.PENDING).first()
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=f"page {number}")
        if step:
            lifecycle.move_steps(change, [lifecycle.StepMove(step, StepStatus.STARTED, {"attempt": 1})])
            lifecycle.move_items(change, [(step.item, ItemStatus.RUNNING, "look")])


def keep_updating(task: Task, seconds: float, number: int) -> int:
    """Four times a second; returns the number of the last update."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        number += 1
        update(task, number)
        time.sleep(0.25)
    return number


def test_fields_ticks_selection_details_scroll_and_focus_stay(
    browse: Callable[..., Any], browser: Browser, operator: AbstractBaseUser
) -> None:
    task = make_rows(60)
    page = browse(operator, viewport={"width": 1280, "height": 700})
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#says")).to_contain_text("page 0", timeout=SOON)

    selected = page.evaluate(SELECT)
    last = keep_updating(task, SECONDS / 4, 0)
    browser.expect(page.locator("#says")).to_contain_text(f"page {last}", timeout=SOON)
    assert page.evaluate("getSelection().toString()") == selected

    for place in (1, 3, 5):
        page.locator("#items tr").nth(place).locator("input").check()
    page.locator("#cancel summary").click()
    page.fill("#cancel-reason", "half a ")
    page.keyboard.press("Home")
    page.keyboard.type("Not ")
    page.evaluate("scrollTo(0, 400)")
    last = keep_updating(task, SECONDS, last)
    browser.expect(page.locator("#says")).to_contain_text(f"page {last}", timeout=SOON)
    assert page.evaluate("scrollY") == 400
    assert page.evaluate("document.activeElement.id") == "cancel-reason"
    assert page.evaluate("document.activeElement.selectionStart") == len("Not ")
    assert page.locator("#cancel-reason").input_value() == "Not half a "
    assert page.locator("#cancel").get_attribute("open") is not None
    assert page.locator("#items input:checked").count() == 3
    assert page.faults == []
