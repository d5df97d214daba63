"""What a live page does when the stream is refused, lost, or no longer allowed; and that it never jumps."""

import re
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.sessions.models import Session

from taskboard import lifecycle
from taskboard.models import ItemStatus, Step, StepStatus, Task, TaskStatus
from tests.browser import Browser
from tests.factories import make_item, make_step, make_task
from tests.processes import Processes, answers, until

pytestmark = pytest.mark.browser
Browse = Callable[..., Any]
SOON = 60_000
STREAM = re.compile(r"/stream/")
WATCH_SHIFTS = """
    window.shifted = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted.push(entry.value);
    }).observe({ type: "layout-shift", buffered: false });
"""


@pytest.fixture
def task(transactional_db: None) -> Task:
    """Three items that are not begun."""
    task = make_task(workflow="seo-audit", says="reading page 1", limit_micro=20_000_000)
    for name in ("a.html", "b.html", "c.html"):
        make_step(make_item(task, name), "diagnose")
    return task


def say(task: Task, text: str) -> None:
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=text)


def start(task: Task, key: str) -> None:
    step = Step.objects.select_related("item").get(task=task, item__key=key)
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_steps(change, [lifecycle.StepMove(step, StepStatus.STARTED, {"attempt": 1})])
        lifecycle.move_items(change, [(step.item, ItemStatus.RUNNING, "diagnose")])


def answering(status: int) -> Callable[[Any], None]:
    body = "<h1>Service unavailable</h1>"
    return lambda route: route.fulfill(status=status, content_type="text/html", body=body)


refuse = answering(503)


def late(route: Any) -> None:
    time.sleep(0.4)
    route.continue_()


def test_a_refused_first_connection_is_told_and_tried_again(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.route(STREAM, refuse)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#live-lost")).to_be_visible(timeout=SOON)
    browser.expect(page.get_by_text("Service unavailable")).to_have_count(0)
    say(task, "reading page 2")
    page.unroute(STREAM)
    browser.expect(page.locator("#says")).to_contain_text("reading page 2", timeout=SOON)
    browser.expect(page.locator("#live-lost")).to_be_hidden(timeout=SOON)


def test_an_extension_that_comes_late_leaves_no_page_dead(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.route(re.compile("hx-sse"), late)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#actions")).to_be_visible(timeout=SOON)
    say(task, "reading page 2")
    browser.expect(page.locator("#says")).to_contain_text("reading page 2", timeout=SOON)


def test_after_the_server_was_away_old_and_new_rows_change(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, processes: Processes, site: str, task: Task
) -> None:
    """VIEW-02: killed, then a proxy that answers 503, then back."""
    page = browse(operator)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#says")).to_contain_text("reading page 1", timeout=SOON)
    say(task, "reading page 2")
    browser.expect(page.locator("#says")).to_contain_text("reading page 2", timeout=SOON)
    page.route(STREAM, refuse)
    processes.kill(processes.running[-1], signal.SIGKILL)
    browser.expect(page.locator("#live-lost")).to_be_visible(timeout=SOON)
    start(task, "b.html")
    processes.web(int(site.rpartition(":")[2]))
    until(lambda: answers(int(site.rpartition(":")[2])))
    page.unroute(STREAM)
    browser.expect(page.locator("#items tr", has_text="b.html")).to_contain_text("Running", timeout=SOON)
    browser.expect(page.locator("#live-lost")).to_be_hidden(timeout=SOON)
    start(task, "c.html")
    browser.expect(page.locator("#items tr", has_text="c.html")).to_contain_text("Running", timeout=SOON)
    # What was being loaded when the server was killed may say so.
    assert [fault for fault in page.faults if "stream" not in fault and "Failed to fetch" not in fault] == []


def test_a_stream_that_is_no_longer_allowed_leads_to_login_and_back(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    """VIEW-09: the whole page, never a login form inside a region."""
    page = browse(operator)
    page.route(STREAM, refuse)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#live-lost")).to_be_visible(timeout=SOON)
    Session.objects.all().delete()
    page.unroute(STREAM)
    page.wait_for_url(re.compile(r"/accounts/login/\?next=(/|%2F)tasks(/|%2F)task_"), timeout=SOON)
    page.get_by_label("Username").fill("ops")
    page.get_by_label("Password").fill("correct horse battery")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{task.get_absolute_url()}", timeout=SOON)


def test_a_hidden_page_comes_back_with_everything(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    """A resumed laptop or a tab that is shown again: nothing of what happened meanwhile is missing."""
    page = browse(operator)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#says")).to_contain_text("reading page 1", timeout=SOON)
    page.context.set_offline(True)
    say(task, "reading page 7")
    start(task, "a.html")
    page.context.set_offline(False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    browser.expect(page.locator("#says")).to_contain_text("reading page 7", timeout=SOON)
    browser.expect(page.locator("#items tr", has_text="a.html")).to_contain_text("Running", timeout=SOON)


def test_nothing_moves_while_updates_come(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#says")).to_contain_text("reading page 1", timeout=SOON)
    page.evaluate(WATCH_SHIFTS)
    for number in range(2, 8):
        say(task, f"reading page {number}")
        browser.expect(page.locator("#says")).to_contain_text(f"reading page {number}", timeout=SOON)
    start(task, "b.html")
    browser.expect(page.locator("#items tr", has_text="b.html")).to_contain_text("Running", timeout=SOON)
    assert sum(page.evaluate("window.shifted")) < 0.02


def test_the_whole_way_goes_without_scripts(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, transactional_db: None
) -> None:
    """Check, start (clicked twice), see, pause."""
    page = browse(operator, java_script_enabled=False)
    page.goto("/")
    page.get_by_role("link", name="New task").first.click()
    page.get_by_role("link", name="SEO audit").click()
    page.get_by_role("button", name="Check what it takes").click()
    browser.expect(page.get_by_role("heading", name="What it would take")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Start").dblclick()
    page.wait_for_url("**/tasks/task_*/")
    task = Task.objects.get()
    browser.expect(page.get_by_role("heading", level=1)).to_contain_text("sample site")
    page.get_by_role("button", name="Pause").click()
    browser.expect(page.get_by_text("Paused").first).to_be_visible(timeout=SOON)
    task.refresh_from_db()
    assert task.status == "paused"


def test_a_button_says_what_went_wrong_and_can_be_used_again(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    """UX-03: no right, a broken server, no network; the message stands at the button."""
    page = browse(operator)
    page.goto(task.get_absolute_url())
    renewed(browser, page, "running")
    said = page.locator("form", has=page.get_by_role("button", name="Pause")).locator("[data-feedback]")
    for status in (403, 500):
        page.route("**/pause/", answering(status))
        page.get_by_role("button", name="Pause").click()
        browser.expect(said).to_contain_text("This did not work", timeout=SOON)
        page.unroute("**/pause/")
    page.route("**/pause/", lambda route: route.abort())
    page.get_by_role("button", name="Pause").click()
    browser.expect(said).to_contain_text("cannot be reached", timeout=SOON)
    page.unroute("**/pause/")
    page.get_by_role("button", name="Pause").click()
    browser.expect(page.locator("#state")).to_contain_text("Paused", timeout=SOON)


def test_what_was_said_at_a_button_stays_when_the_page_renews_its_buttons(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    renewed(browser, page, "running")
    page.route("**/pause/", answering(500))
    page.get_by_role("button", name="Pause").click()
    said = page.locator("form", has=page.get_by_role("button", name="Pause")).locator("[data-feedback]")
    browser.expect(said).to_contain_text("This did not work", timeout=SOON)
    with lifecycle.changing(task.pk, "test") as change:
        moves = [
            lifecycle.StepMove(step, StepStatus.WAITING_APPROVAL) for step in Step.objects.filter(task=task)
        ]
        lifecycle.move_steps(change, moves)
    renewed(browser, page, "waiting")
    browser.expect(said).to_contain_text("This did not work", timeout=SOON)


def test_buttons_that_could_not_be_renewed_are_renewed_when_the_stream_is_back(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, processes: Processes, site: str, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    renewed(browser, page, "running")
    page.route("**/actions/", lambda route: route.abort())
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_task(change, TaskStatus.PAUSED)
    browser.expect(page.locator("#state")).to_contain_text("Paused", timeout=SOON)
    # Events of the page are heard while it is asked something.
    until(lambda: page.evaluate("true") and any("Failed to fetch" in fault for fault in page.faults), 60)
    page.unroute("**/actions/")
    processes.kill(processes.running[-1], signal.SIGKILL)
    processes.web(int(site.rpartition(":")[2]))
    browser.expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=SOON)


def renewed(browser: Browser, page: Any, state: str) -> None:
    browser.expect(page.locator(f"#actions-of-{state}:not(.htmx-request)")).to_be_attached(timeout=SOON)
