"""When an answer cannot be taken: said where the person looks, nothing lost, and the button works again."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session

from approvals.models import Approval, Vote
from taskboard.models import Task
from tests.browser import Browser
from tests.factories import make_approval

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Browse = Callable[..., Any]
WORDS = "half a sentence"
SERVER_FAULT = """() => {
  const usual = window.fetch;
  window.fetch = (...asked) => String(asked[0]).includes("/decide")
    ? Promise.resolve(new Response("<h1>Server error</h1>", { status: 500, headers: { "Content-Type": "text/html" } }))
    : usual(...asked);
  window.mend = () => { window.fetch = usual; };
}"""


@pytest.fixture
def asked(manager: User) -> Approval:
    return make_approval(action="Do this")


def opened(browse: Browse, browser: Browser, manager: User, asked: Approval) -> Any:
    page = browse(manager)
    page.goto(f"/approvals/?show=mine&question={asked.pk}")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    page.locator(f"#reason-{asked.pk}").fill(WORDS)
    return page


def refused(page: Any, browser: Browser, asked: Approval, sentence: str) -> None:
    """Said on the page, in words; the text stays, and the button can be pressed again."""
    browser.expect(page.locator("#toasts, .decide [data-feedback]").filter(has_text=sentence)).to_have_count(
        1
    )
    browser.expect(page.locator(f"#reason-{asked.pk}")).to_have_value(WORDS)
    browser.expect(page.locator(f"#approve-{asked.pk}")).to_be_enabled()
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    assert not Vote.objects.exists()


def test_a_right_that_is_gone_a_fault_of_the_server_and_no_network_are_each_said(
    browse: Browse, browser: Browser, manager: User, asked: Approval
) -> None:
    page = opened(browse, browser, manager, asked)
    approve = page.locator(f"#approve-{asked.pk}")
    Task.objects.update(created_by=manager)
    approve.click()
    refused(page, browser, asked, "You started this task")
    Task.objects.update(created_by=None)
    page.evaluate(SERVER_FAULT)
    approve.click()
    refused(page, browser, asked, "the server could not answer")
    page.evaluate("window.mend()")
    page.context.set_offline(True)
    approve.click()
    refused(page, browser, asked, "cannot be reached")
    page.context.set_offline(False)
    approve.click()
    browser.expect(page.locator("#toasts")).to_contain_text("Approved: Do this")
    assert Approval.objects.get().reason == WORDS


def test_a_session_that_ended_leads_to_login_and_back_to_the_question_with_nothing_decided(
    browse: Browse, browser: Browser, manager: User, asked: Approval
) -> None:
    page = opened(browse, browser, manager, asked)
    Session.objects.all().delete()
    page.locator(f"#approve-{asked.pk}").click()
    page.wait_for_url("**/accounts/login/**")
    browser.expect(page.locator("main")).to_contain_text("was not saved")
    assert not Vote.objects.exists()
    page.get_by_label("Username").fill("manager")
    page.get_by_label("Password").fill("correct horse battery")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/approvals/?show=mine&question={asked.pk}")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    browser.expect(page.locator(f"#reason-{asked.pk}")).to_have_value(WORDS)
    browser.expect(page.locator(".decide [data-feedback]")).to_contain_text("is back")


def test_a_poll_after_the_session_ended_takes_the_page_to_login_unless_something_is_typed(
    browse: Browse, browser: Browser, manager: User, asked: Approval
) -> None:
    page = opened(browse, browser, manager, asked)
    Session.objects.all().delete()
    browser.expect(page.locator("#logged-out")).to_contain_text("You are logged out", timeout=30_000)
    browser.expect(page.locator(f"#reason-{asked.pk}")).to_have_value(WORDS)
    page.locator(f"#reason-{asked.pk}").fill("")
    page.wait_for_url("**/accounts/login/**", timeout=30_000)
    browser.expect(page.locator("#questions")).to_have_count(0)
