"""Answers taken back in a browser, by a key; however slow the machine is, there is time for it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals.models import Approval
from tests.browser import Browser
from tests.factories import make_approval
from tests.processes import Processes, answers, free_port, until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Browse = Callable[..., Any]


@pytest.fixture
def site(processes: Processes) -> str:
    """With a minute to take an answer back."""
    port = free_port()
    web = processes.web(port, APPROVALS_UNDO_SECONDS="60")
    until(lambda: answers(port) or web.poll() is not None, what="the start of the web process")
    return f"http://127.0.0.1:{port}"


def test_an_answer_is_taken_back_by_a_key(browse: Browse, browser: Browser, manager: User) -> None:
    asked = make_approval(action="Do this")
    page = browse(manager)
    page.goto("/approvals/")
    page.locator(f"#approve-{asked.pk}").click()
    browser.expect(page.locator(".undo")).to_contain_text("Approved: Do this")
    browser.expect(page.locator("#approvals-badge")).to_be_empty()
    page.keyboard.press("z")
    browser.expect(page.locator("#toasts")).to_contain_text("it is open again")
    browser.expect(page.locator(".undo")).to_have_count(0)
    browser.expect(page.locator("#approvals-badge")).to_contain_text("1")
    assert Approval.objects.get(pk=asked.pk).status == "open"


def test_the_key_takes_the_last_answer_back_and_no_toasts_pile_up(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = [make_approval(action=f"Do {number}") for number in range(4)]
    page = browse(manager)
    page.goto("/approvals/")
    for number in range(3):
        browser.expect(page.locator("#question-title")).to_have_text(f"Do {number}")
        page.keyboard.press("a")
        page.keyboard.press("Enter")
    browser.expect(page.locator("#question-title")).to_have_text("Do 3")
    browser.expect(page.locator(".undo").filter(has_text="Do 2")).to_be_visible()
    browser.expect(page.locator(".undo:visible")).to_have_count(2)
    page.keyboard.press("z")
    browser.expect(page.locator("#toasts")).to_contain_text("it is open again: Do 2")
    browser.expect(page.locator("#question-title")).to_have_text("Do 2")
    browser.expect(page.locator("#question-title")).to_be_focused()
    browser.expect(page.locator(f"#row-{asked[2].pk}")).to_have_attribute("aria-current", "true")
    assert f"question={asked[2].pk}" in page.url
    assert [Approval.objects.get(pk=one.pk).status for one in asked] == [
        "approved",
        "approved",
        "open",
        "open",
    ]
