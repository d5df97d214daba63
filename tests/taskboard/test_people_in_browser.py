"""Two people at one item in Chromium: what one does the other sees, and nobody loses what they type."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard.models import StepStatus, Task
from taskboard.steering import instructions
from tests.browser import Browser
from tests.conftest import make_person
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)
SOON = 20_000
Browse = Callable[..., Any]


def test_at_an_item_buttons_and_comments_follow_and_typed_text_stays(
    browse: Browse, browser: Browser, operator: AbstractBaseUser
) -> None:
    anna = make_person("anna", "Operators")
    item = make_item(make_task(workflow="seo-audit"), "a")
    make_item(item.task, "b")
    make_step(
        item, "create_ticket", status=StepStatus.UNKNOWN, attempt=1, started_at=NOW, idempotency_key="k:1"
    )
    hers, his = browse(anna), browse(operator)
    for page in (hers, his):
        page.goto(item.get_absolute_url())
    hers.fill("#comment-text", "half a thou")
    his.get_by_text("It did not happen").click()
    his.fill("[id^=key-]", "not the key")
    his.get_by_role("button", name="Run it again").click()
    browser.expect(his.locator("details[open] [data-feedback]")).to_contain_text(
        "not the key of the step", timeout=SOON
    )
    browser.expect(his.locator("[id^=key-]")).to_have_value("not the key")
    his.fill("[id^=key-]", "k:1")
    his.get_by_role("button", name="Run it again").click()
    browser.expect(his.locator("#actions")).not_to_contain_text("what became of it", timeout=SOON)
    browser.expect(hers.locator("#actions")).not_to_contain_text("what became of it", timeout=SOON)
    browser.expect(hers.locator("#comment-text")).to_have_value("half a thou")
    hers.locator("#comment-text").press_sequentially("ght")
    hers.get_by_role("button", name="Comment").click()
    browser.expect(his.locator("#comments")).to_contain_text("half a thought", timeout=SOON)
    browser.expect(hers.locator("#comment-text")).to_have_value("", timeout=SOON)
    assert hers.faults == his.faults == []


def test_a_choice_in_the_queue_follows_its_instruction(
    browse: Browse, browser: Browser, operator: AbstractBaseUser
) -> None:
    """Or a person would take back another one than was chosen."""
    anna = make_person("anna", "Operators")
    task: Task = make_step(make_item(make_task()), "look").task
    _one, two = (instructions.add(task, operator, text) for text in ("one", "two"))
    page = browse(anna)
    page.goto(task.get_absolute_url())
    page.locator("#steer-queue summary").click()
    page.select_option("#queue-which", str(two.pk))
    instructions.reorder(task, operator, two.pk, 1)
    browser.expect(page.locator(".queued li").first).to_contain_text("two", timeout=SOON)
    browser.expect(page.locator("#queue-which option").first).to_contain_text("1. two", timeout=SOON)
    browser.expect(page.locator("#queue-which")).to_have_value(str(two.pk))
    assert page.locator("#steer-queue").get_attribute("open") is not None
    assert page.faults == []
