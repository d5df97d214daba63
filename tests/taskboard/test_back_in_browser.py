"""VIEW-01: back and forward in Chromium show whole pages as they are now, never a bare fragment."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals.models import Approval
from taskboard.models import ItemStatus, StepStatus, TaskStatus
from tests.browser import Browser
from tests.factories import make_approval, make_item, make_step, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 30_000
Browse = Callable[..., Any]


def whole(browser: Browser, page: Any, heading: str) -> None:
    browser.expect(page.get_by_role("navigation", name="Main")).to_be_visible(timeout=SOON)
    browser.expect(page.get_by_role("heading", level=1)).to_contain_text(heading, timeout=SOON)


def test_from_a_filtered_list_to_a_task_to_its_failed_items_and_back(
    browse: Browse, browser: Browser, operator: User
) -> None:
    task = make_task(goal="Audit the shop", status=TaskStatus.COMPLETED)
    make_step(make_item(task, "a", status=ItemStatus.FAILED), "look", status=StepStatus.FAILED, error="no")
    make_item(task, "b", status=ItemStatus.DONE)
    page = browse(operator)
    page.goto("/?tab=finished")
    page.fill("[name=q]", "shop")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Audit the shop").click()
    whole(browser, page, "Audit the shop")
    page.select_option(".items-filter [name=status]", "failed")
    page.locator(".items-filter [type=submit]").click()
    browser.expect(page.locator("#items tr")).to_have_count(1, timeout=SOON)
    page.go_back()
    whole(browser, page, "Audit the shop")
    browser.expect(page.locator("#items tr")).to_have_count(2, timeout=SOON)
    page.go_back()
    whole(browser, page, "Tasks")
    assert page.locator("[name=q]").input_value() == "shop"
    page.go_forward()
    whole(browser, page, "Audit the shop")
    assert page.faults == []


def test_from_one_question_to_another_and_back(browse: Browse, browser: Browser, manager: User) -> None:
    _first, second = (make_approval(action=f"Pay the {word} bill") for word in ("first", "second"))
    page = browse(manager)
    page.goto("/approvals/?show=open&q=bill")
    card = page.locator("#question-title")
    browser.expect(card).to_contain_text("Pay the first bill", timeout=SOON)
    page.locator(f"#row-{second.pk}").click()
    browser.expect(card).to_contain_text("Pay the second bill", timeout=SOON)
    assert page.url.endswith(f"question={second.pk}")
    page.go_back()
    whole(browser, page, "Approvals")
    browser.expect(card).to_contain_text("Pay the first bill", timeout=SOON)
    page.go_forward()
    whole(browser, page, "Approvals")
    browser.expect(card).to_contain_text("Pay the second bill", timeout=SOON)
    Approval.objects.filter(pk=second.pk).update(action="Pay it now")
    page.go_back()
    page.go_forward()
    browser.expect(card).to_contain_text("Pay it now", timeout=SOON)
