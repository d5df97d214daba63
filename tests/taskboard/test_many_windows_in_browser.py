"""Many pages of one browser, pages that nobody sees yet, streams that are dead or not let through: all stay true."""

import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import lifecycle
from taskboard.models import Task
from tests.browser import Browser
from tests.factories import make_task
from tests.processes import Processes, until

pytestmark = pytest.mark.browser
Browse = Callable[..., Any]
SOON = 60_000
STREAM = re.compile(r"/stream/")
ASKS = "document.documentElement.dataset.live === 'ask'"
UNSEEN = """
    let hidden = true;
    Object.defineProperty(document, "hidden", { get: () => hidden });
    window.show = () => { hidden = false; document.dispatchEvent(new Event("visibilitychange")); };
"""


@pytest.fixture
def task(transactional_db: None) -> Task:
    return make_task(says="reading page 1")


def say(task: Task, text: str) -> None:
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=text)


def follows(browser: Browser, page: Any, text: str) -> None:
    browser.expect(page.locator("#says")).to_contain_text(text, timeout=SOON)


def test_seven_windows_of_one_browser_all_follow(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    """It has six connections to a host, and opens each of these pages with them."""
    first = browse(operator)
    pages = [first, *(first.context.new_page() for _ in range(6))]
    for page in pages:
        page.goto(task.get_absolute_url())
    say(task, "reading page 2")
    for page in pages:
        follows(browser, page, "reading page 2")
    until(lambda: sum(page.evaluate(ASKS) for page in pages) == 3, 60, "three pages that ask")
    for page in pages[:3]:
        page.close()
    until(lambda: not any(page.evaluate(ASKS) for page in pages[3:]), 60, "streams for all that are left")
    say(task, "reading page 3")
    for page in pages[3:]:
        follows(browser, page, "reading page 3")


def test_a_page_that_is_opened_behind_others_takes_no_connection_before_it_is_seen(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    asked: list[str] = []

    def note(route: Any) -> None:
        asked.append(route.request.url)
        route.continue_()

    page = browse(operator)
    page.route(STREAM, note)
    page.add_init_script(UNSEEN)
    page.goto(task.get_absolute_url())
    page.evaluate("new Promise((done) => setTimeout(done, 500))")
    assert asked == []
    say(task, "reading page 2")
    page.evaluate("show()")
    follows(browser, page, "reading page 2")


def test_a_stream_that_has_gone_silent_is_noticed_and_begun_anew(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, processes: Processes, task: Task
) -> None:
    """A laptop slept, or a machine on the way died without a word: nothing says that the connection is gone."""
    page, web = browse(operator), processes.running[-1]
    page.clock.install()
    page.goto(task.get_absolute_url())
    follows(browser, page, "reading page 1")
    say(task, "reading page 2")
    follows(browser, page, "reading page 2")
    web.send_signal(signal.SIGSTOP)
    try:
        say(task, "reading page 3")
        page.clock.fast_forward(60_000)
        browser.expect(page.locator("#live-lost")).to_be_visible(timeout=SOON)
    finally:
        web.send_signal(signal.SIGCONT)
    follows(browser, page, "reading page 3")
    browser.expect(page.locator("#live-lost")).to_be_hidden(timeout=SOON)


def test_where_no_stream_is_let_through_the_page_asks_now_and_then(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    def only_questions(route: Any) -> None:
        if "once=1" in route.request.url:
            route.continue_()
        else:
            route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")

    page = browse(operator)
    page.route(STREAM, only_questions)
    page.goto(task.get_absolute_url())
    for number in (2, 3):
        say(task, f"reading page {number}")
        follows(browser, page, f"reading page {number}")
    browser.expect(page.locator("#live-lost")).to_be_hidden(timeout=SOON)
    browser.expect(page.get_by_text("Bad gateway")).to_have_count(0)
