"""The inbox in a browser: keyboard, the next question, refusals at the form, news without a jump."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User

from approvals import decisions
from approvals.models import Approval
from tests.approvals.answers import answer
from tests.browser import Browser
from tests.factories import make_approval

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Browse = Callable[..., Any]
HELD_BACK = """() => {
  const usual = window.fetch;
  window.fetch = async (...asked) => {
    const answer = await usual(...asked);
    if (!String(asked[0]).includes("/decide")) return answer;
    await new Promise((resolve) => { window.release = resolve; document.documentElement.dataset.held = 1; });
    return answer;
  };
}"""
"""The answer to a decision arrives only when the test lets it."""
AT_ONCE = """(key) => {
  const soon = new MessageChannel();
  soon.port1.onmessage = () => {
    document.documentElement.dataset.pressed = key;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  };
  document.addEventListener("htmx:before:settle", () => soon.port2.postMessage(0), { once: true });
}"""
"""A key is pressed as soon as the next card is drawn, sooner than any person could."""


def test_a_manager_decides_by_keyboard_and_gets_the_next_one(
    browse: Browse, browser: Browser, manager: User
) -> None:
    first, second, third = (make_approval(action=f"Do {word}") for word in ("this", "that", "more"))
    page = browse(manager)
    page.goto("/approvals/")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    page.keyboard.press("j")
    browser.expect(page.locator("#question-title")).to_have_text("Do that")
    page.keyboard.press("k")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    browser.expect(page.locator("#question-title")).to_be_focused()
    page.keyboard.press("a")
    browser.expect(page.locator(f"#approve-{first.pk}")).to_be_focused()
    page.keyboard.press("Enter")
    browser.expect(page.locator("#toasts")).to_contain_text("Approved: Do this")
    browser.expect(page.locator("#question-title")).to_have_text("Do that")
    browser.expect(page.locator("#question-title")).to_be_focused()
    browser.expect(page.locator(f"#row-{first.pk}")).to_contain_text("Approved")
    browser.expect(page.locator("#approvals-badge")).to_contain_text("2")
    browser.expect(page.locator(f"#row-{second.pk}")).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    browser.expect(page.locator(f"#reason-{second.pk}")).to_be_focused()
    page.keyboard.type("not that")
    page.keyboard.press("Control+Enter")
    browser.expect(page.locator("#question-title")).to_have_text("Do more")
    assert [Approval.objects.get(pk=a.pk).status for a in (first, second, third)] == [
        "approved",
        "rejected",
        "open",
    ]
    browser.expect(page).to_have_title(re.compile(r"^\(1\) "))
    assert page.faults == []


def test_a_key_that_comes_at_once_finds_the_new_card_alive(
    browse: Browse, browser: Browser, manager: User
) -> None:
    """In a pause between drawing the links and making them work, a key would leave the page and lose the focus."""
    make_approval(action="Do this"), make_approval(action="Do that")
    page = browse(manager)
    page.goto("/approvals/")
    page.evaluate(AT_ONCE, "k")
    page.keyboard.press("j")
    browser.expect(page.locator("html")).to_have_attribute("data-pressed", "k")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    browser.expect(page.locator("#question-title")).to_be_focused()
    assert page.faults == []


def test_a_late_answer_never_replaces_the_card_that_was_chosen_meanwhile(
    browse: Browse, browser: Browser, manager: User
) -> None:
    first, second = make_approval(action="Do this"), make_approval(action="Do that")
    page = browse(manager)
    page.goto("/approvals/")
    browser.expect(page.locator("#question-title")).to_have_text("Do this")
    page.evaluate(HELD_BACK)
    page.locator(f"#approve-{first.pk}").click()
    browser.expect(page.locator("html")).to_have_attribute("data-held", "1")
    page.locator(f"#row-{second.pk}").click()
    browser.expect(page.locator("#question-title")).to_have_text("Do that")
    page.locator(f"#reason-{second.pk}").fill("half a sent")
    page.evaluate("window.release()")
    browser.expect(page.locator("#toasts")).to_contain_text("Approved: Do this")
    browser.expect(page.locator(f"#row-{first.pk}")).to_contain_text("Approved")
    browser.expect(page.locator("#question-title")).to_have_text("Do that")
    browser.expect(page.locator(f"#reason-{second.pk}")).to_have_value("half a sent")
    assert f"question={second.pk}" in page.url


def test_a_long_text_is_approved_only_after_its_end_was_on_the_screen(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = make_approval(after="\n".join(f"line {number}" for number in range(400)))
    for width in (1280, 390):
        page = browse(manager, viewport={"width": width, "height": 844})
        page.goto(f"/approvals/?question={asked.pk}")
        button = page.locator(f"#approve-{asked.pk}")
        browser.expect(button).to_be_disabled()
        page.locator(f"#question-end-{asked.pk}").scroll_into_view_if_needed()
        page.locator(f"#decide-{asked.pk}").evaluate(
            "(form) => form.parentElement.scrollIntoView({ block: 'end' })"
        )
        browser.expect(button).to_be_enabled()
    button.click()
    browser.expect(page.locator("#toasts")).to_contain_text("Approved")
    assert Approval.objects.get().status == "approved"


def test_a_refusal_is_said_at_the_form_and_the_text_stays(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = make_approval()
    page = browse(manager)
    page.goto("/approvals/")
    page.get_by_role("button", name="Reject", exact=True).click()
    browser.expect(page.locator(".decide [data-feedback]")).to_contain_text("Say why you reject this")
    page.locator(f"#reason-{asked.pk}").fill("my words")
    decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256)
    page.get_by_role("button", name="Reject", exact=True).click()
    browser.expect(page.locator(".decide [data-feedback]")).to_contain_text("manager approved this on")
    browser.expect(page.locator(f"#reason-{asked.pk}")).to_have_value("my words")
    browser.expect(page.locator(f"#approve-{asked.pk}")).to_be_hidden()
    browser.expect(page.locator("#card-status")).to_have_text("Approved")


def test_new_questions_are_announced_while_text_and_order_stay(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = make_approval()
    page = browse(manager)
    page.goto("/approvals/")
    page.locator(f"#reason-{asked.pk}").fill("half a sent")
    make_approval()
    browser.expect(page.locator("#inbox-news")).to_contain_text("1 new question", timeout=15_000)
    browser.expect(page.locator("#inbox-tabs [aria-current]")).to_contain_text("2")
    browser.expect(page.locator(".queue-row")).to_have_count(1)
    browser.expect(page.locator(f"#reason-{asked.pk}")).to_have_value("half a sent")


def test_a_question_settled_in_another_window_takes_no_answer_and_keeps_what_was_typed(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = make_approval()
    page = browse(manager)
    page.goto("/approvals/")
    reason = page.locator(f"#reason-{asked.pk}")
    reason.fill("half a sent")
    reason.focus()
    answer(asked, manager, undo_seconds=60)
    browser.expect(page.locator("#card-status")).to_have_text("Approved", timeout=15_000)
    browser.expect(page.locator(".decide [data-feedback]")).to_contain_text("Settled meanwhile")
    browser.expect(page.locator(f"#approve-{asked.pk}")).to_be_hidden()
    browser.expect(reason).to_have_value("half a sent")
    browser.expect(reason).to_be_focused()
    decisions.take_back(asked.pk, manager)
    browser.expect(page.locator("#card-status")).to_have_text("Open", timeout=15_000)
    browser.expect(page.locator(f"#approve-{asked.pk}")).to_be_visible()
    browser.expect(reason).to_be_editable()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browse: Browse, browser: Browser, manager: User, scheme: str) -> None:
    asked = make_approval(before="a\nb", after="a\nc", evidence=[{"label": "Diagnosis", "text": "x"}])
    for url in ("/approvals/", asked.get_absolute_url(), "/approvals/absence/"):
        page = browse(manager, color_scheme=scheme)
        page.goto(url)
        found = page._run(lambda page=page: Axe().run(page._target).response["violations"])
        assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found] == []


def test_on_a_phone_list_and_card_are_two_views_without_sideways_scrolling(
    browse: Browse, browser: Browser, manager: User
) -> None:
    asked = make_approval(after="x" * 400)
    page = browse(manager, viewport={"width": 390, "height": 844})
    page.goto("/approvals/")
    browser.expect(page.locator("#question")).to_be_hidden()
    page.locator(f"#row-{asked.pk}").click()
    browser.expect(page.locator("#question-title")).to_be_visible()
    browser.expect(page.locator("#questions")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="All", exact=True).click()
    browser.expect(page.locator("#questions")).to_be_visible()


def test_on_a_phone_the_next_question_begins_with_its_title_on_the_screen(
    browse: Browse, browser: Browser, manager: User
) -> None:
    lines = "\n".join(f"line {number}" for number in range(50))
    first, second = (make_approval(action=f"Do {word}", after=lines) for word in ("this", "that"))
    page = browse(manager, viewport={"width": 390, "height": 844}, has_touch=True)
    page.goto(f"/approvals/?show=mine&question={first.pk}")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    browser.expect(page.locator("#question-title")).not_to_be_in_viewport()
    page.locator(f"#approve-{first.pk}").tap()
    browser.expect(page.locator("#question-title")).to_have_text("Do that")
    browser.expect(page.locator("#question-title")).to_be_in_viewport(ratio=1)
    bar = page.locator(".rail").bounding_box()
    assert page.locator("#question-title").bounding_box()["y"] >= bar["y"] + bar["height"]
    assert Approval.objects.get(pk=second.pk).status == "open"
