"""Pages in a real browser: live, without disturbing who works there."""

import signal
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.sessions.models import Session

import tests.workflows  # noqa: F401 registers the zoo
from taskboard import lifecycle
from taskboard.models import ItemStatus, Step, StepStatus, Task
from tests.browser import Browser
from tests.factories import make_item, make_step, make_task
from tests.processes import Processes, answers, until

pytestmark = pytest.mark.browser
Browse = Callable[..., Any]
WORDS = "half a sentence"
SOON = 30_000
"""Milliseconds; a busy machine is slow, a broken page never gets there."""


@pytest.fixture
def task(transactional_db: None) -> Task:
    """Two items; the first is done, the second waits for a worker."""
    task = make_task(workflow="linear", says="reading page 1", limit_micro=20_000_000, spent_micro=7_350_000)
    make_step(
        make_item(task, "a.html", status=ItemStatus.DONE), "look", status=StepStatus.DONE, summary="fine"
    )
    make_step(make_item(task, "b.html"), "look")
    return task


def start(task: Task) -> None:
    step = Step.objects.get(task=task, status=StepStatus.PENDING)
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_steps(change, [lifecycle.StepMove(step, StepStatus.STARTED, {"attempt": 1})])
        lifecycle.move_items(change, [(step.item, ItemStatus.RUNNING, "look")])


def say(task: Task, text: str) -> None:
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=text)


def test_rows_and_numbers_change_by_themselves(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    row = page.locator("#items tr", has_text="b.html")
    browser.expect(row).to_contain_text("Pending", timeout=SOON)
    start(task)
    browser.expect(row).to_contain_text("Running", timeout=SOON)
    browser.expect(page.locator("#summary .legend")).to_contain_text("1 Running", timeout=SOON)
    assert page.faults == []


def test_typed_text_focus_and_open_details_are_kept(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    page.locator("#cancel summary").click()
    field = page.locator("#cancel-reason")
    field.fill("half a sen")
    for number in range(2, 6):
        say(task, f"reading page {number}")
        browser.expect(page.locator("#says")).to_contain_text(f"reading page {number}", timeout=SOON)
        page.keyboard.type("x")
    assert field.input_value() == "half a senxxxx"
    assert page.evaluate("document.activeElement.id") == "cancel-reason"
    page.keyboard.press("Escape")
    assert page.locator("#cancel").get_attribute("open") is None
    assert page.evaluate("document.activeElement.parentElement.id") == "cancel"


def test_the_buttons_follow_the_state(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    browser.expect(page.get_by_role("button", name="Pause")).to_be_visible(timeout=SOON)
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_task(change, lifecycle.T.PAUSED)
    browser.expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=SOON)
    browser.expect(page.get_by_role("button", name="Pause")).to_have_count(0, timeout=SOON)


def test_pausing_says_so_without_loading_the_page_anew(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    page.evaluate("window.marker = 1")
    page.get_by_role("button", name="Pause").click()
    browser.expect(page.locator("#toasts")).to_contain_text("Paused.", timeout=SOON)
    browser.expect(page.locator("#state")).to_contain_text("Paused", timeout=SOON)
    assert page.evaluate("window.marker") == 1


def test_a_refused_action_says_why(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.route("**/stream/**", lambda route: route.abort())
    page.goto(task.get_absolute_url())
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.move_task(change, lifecycle.T.CANCELLED)
    page.get_by_role("button", name="Pause").click()
    browser.expect(page.get_by_text("it cannot become Paused")).to_be_visible(timeout=SOON)


def test_it_catches_up_after_the_server_was_away(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, processes: Processes, site: str, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    browser.expect(page.locator("#says")).to_contain_text("reading page 1", timeout=SOON)
    port = int(site.rpartition(":")[2])
    processes.kill(processes.running[-1], signal.SIGKILL)
    browser.expect(page.locator("#live-lost")).to_be_visible(timeout=SOON)
    say(task, "reading page 9")
    processes.web(port)
    until(lambda: answers(port))
    browser.expect(page.locator("#says")).to_contain_text("reading page 9", timeout=SOON)
    browser.expect(page.locator("#live-lost")).to_be_hidden(timeout=SOON)


def test_when_the_session_ends_what_is_typed_stays_and_is_back_after_the_login(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto(task.get_absolute_url())
    page.get_by_label("Your comment").fill(WORDS)
    Session.objects.all().delete()
    say(task, "reading page 2")
    browser.expect(page.locator("#logged-out")).to_contain_text("You are logged out", timeout=SOON)
    browser.expect(page.get_by_label("Your comment")).to_have_value(WORDS)
    page.locator("#logged-out").get_by_role("link", name="Log in").click()
    page.get_by_label("Username").fill("ops")
    page.get_by_label("Password").fill("correct horse battery")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{task.get_absolute_url()}")
    browser.expect(page.get_by_label("Your comment")).to_have_value(WORDS)
    browser.expect(page.locator("form [data-feedback]").filter(has_text="is back")).to_have_count(1)
    assert [fault for fault in page.faults if "401" not in fault] == []  # the stream is refused


def test_new_tasks_are_announced_and_rows_stay_where_they_are(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, task: Task
) -> None:
    page = browse(operator)
    page.goto("/")
    page.wait_for_timeout(600)
    make_task(goal="Another one")
    browser.expect(page.get_by_role("link", name="1 new task")).to_be_visible(timeout=SOON)
    browser.expect(page.get_by_text("Another one")).to_have_count(0, timeout=SOON)
    start(task)
    page.get_by_role("link", name="1 new task").click()
    browser.expect(page.get_by_text("Another one")).to_be_visible(timeout=SOON)


def test_a_task_is_started_from_the_form(
    browse: Browse, browser: Browser, operator: AbstractBaseUser, transactional_db: None
) -> None:
    page = browse(operator)
    page.goto("/")
    page.get_by_role("link", name="New task").first.click()
    page.get_by_role("link", name="SEO audit").click()
    page.get_by_label("Source").fill("/no/such/folder")
    page.get_by_role("button", name="The sample site").click()
    assert page.get_by_label("Source").input_value() == "sample"
    page.get_by_label("Budget in USD").fill("5")
    page.get_by_role("button", name="Start").dblclick()
    page.wait_for_url("**/tasks/task_*/")
    assert Task.objects.count() == 1
    assert page.faults == []
