"""The page of what needs a person."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from taskboard import attention
from taskboard.lists import tasks as lists
from taskboard.models import Heartbeat, ItemStatus, StepStatus, Task, TaskStatus
from taskboard.views.effect_links import link_to
from taskboard.workflow import StepSpec
from tests.conftest import logged_in
from tests.factories import NOW, make_approval, make_item, make_step, make_task


@pytest.fixture(autouse=True)
def _processes(db: None) -> None:
    now = timezone.now()
    for role in (Heartbeat.Role.WORKER, Heartbeat.Role.BEAT):
        Heartbeat.objects.create(owner=role, role=role, started_at=now, seen_at=now)


def read(person: Any) -> str:
    response = logged_in(person).get("/attention/")
    assert response.status_code == 200
    return str(response.content.decode())


def make_trouble(task: Any, number: int) -> None:
    for _ in range(number):
        item = make_item(task)
        unknown = {"status": StepStatus.UNKNOWN, "started_at": NOW, "error": "no answer"}
        make_step(item, "send", idempotency_key=f"{task.public_id}:{item.key}:send", **unknown)
        make_step(make_item(task), status=StepStatus.BLOCKED, error="It killed its worker 3 times.")
        make_step(
            make_item(task), status=StepStatus.FAILED, error="404", error_class="NotFound", finished_at=NOW
        )


def test_it_shows_each_kind_of_trouble(operator: Any) -> None:
    task = make_task(status=TaskStatus.BLOCKED)
    make_trouble(task, 1)
    html = read(operator)
    for told in (f"{task.public_id}:page_001:send", "no answer", "Sent, and the answer was lost", "NotFound",
                 "It killed its worker 3 times.", "/steps/send/happened/page_001/"):  # fmt: skip
        assert told in html


def test_failures_are_one_line_per_cause_with_their_number(operator: Any) -> None:
    task = make_task()
    make_trouble(task, 3)
    make_step(
        make_item(task), status=StepStatus.FAILED, error_class="TimeoutError", error="late", finished_at=NOW
    )
    html = read(operator)
    assert html.count("<b>NotFound</b>") == html.count("<b>TimeoutError</b>") == 1
    assert '<td class="num" data-label="Items">3</td>' in html


def test_an_accepted_write_that_cannot_be_seen_is_told_apart_from_a_lost_answer(operator: Any) -> None:
    item = make_item(make_task())
    later = NOW + timedelta(seconds=1)
    make_step(item, "send", status=StepStatus.UNKNOWN, started_at=NOW, executed_at=later, idempotency_key="k")
    html = read(operator)
    assert "Accepted outside, but it cannot be seen" in html
    assert "the answer was lost" not in html


def test_what_was_not_sent_says_so(operator: Any) -> None:
    item = make_item(make_task())
    step = make_step(item, "send", status=StepStatus.FAILED, error_class="NotSent", error="refused")
    assert "surely nothing went out" in step.whether_sent
    assert "<b>Not sent</b>" in read(operator)
    assert "surely nothing went out" in logged_in(operator).get(item.get_absolute_url()).content.decode()


def test_nothing_to_do_is_a_page_too(operator: Any) -> None:
    make_trouble(make_task(status=TaskStatus.CANCELLED), 1)
    assert "Nothing needs you" in read(operator)


def test_a_task_that_waits_for_more_budget_says_who_can_decide(operator: Any, manager: Any) -> None:
    task = make_approval().task
    seen = attention.fingerprint(timezone.now())
    Task.objects.filter(pk=task.pk).update(status=TaskStatus.BLOCKED, out_of_budget=True)
    html = read(manager)
    assert f'href="{task.get_absolute_url()}"' in html
    assert "The budget does not cover the next step." in html
    assert "Managers · 1 · oldest" in html
    assert "Nothing needs you" not in html
    assert 'id="attention-badge">1<' in html
    assert attention.fingerprint(timezone.now()) != seen
    assert logged_in(operator).get("/attention.json").json()["stopped"][0]["task_id"] == task.public_id


def test_every_task_of_the_tab_is_on_the_page(operator: Any) -> None:
    make_task(status=TaskStatus.BLOCKED, out_of_budget=True)
    make_task(status=TaskStatus.FAILED, items_read=False, reason="The source is gone")
    make_trouble(make_task(status=TaskStatus.BLOCKED), 1)
    make_task()
    html = read(operator)
    needy = Task.objects.filter(lists.TABS[lists.ATTENTION])
    assert needy.count() == 3
    assert all(f'href="{task.get_absolute_url()}"' in html for task in needy)
    assert "Reason: The source is gone" in html


def test_processes_that_went_silent_are_told(operator: Any) -> None:
    Heartbeat.objects.filter(role=Heartbeat.Role.WORKER).delete()
    Heartbeat.objects.update(seen_at=timezone.now() - timedelta(hours=2))
    html = read(operator)
    assert "Worker: never seen" in html
    assert "Scheduler: last seen" in html


def test_those_who_may_not_settle_see_no_buttons(manager: Any) -> None:
    make_trouble(make_task(), 1)
    html = read(manager)
    assert "no answer" in html
    assert "/happened/" not in html


def test_more_trouble_costs_no_more_queries(operator: Any) -> None:
    client = logged_in(operator)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get("/attention/")
        return len(captured)

    make_trouble(make_task(), 1)
    queries()
    few = queries()
    for _ in range(3):
        make_trouble(make_task(), 4)
    assert queries() == few


def test_a_known_pattern_leads_to_the_provider() -> None:
    step = make_step(make_item(make_task()), "send", external_id="a/b", idempotency_key="k:1")

    def link(pattern: str) -> str:
        return link_to(StepSpec("send", print, True, link=pattern), step)

    assert link("https://t.example/{external_id}?key={key}") == "https://t.example/a%2Fb?key=k%3A1"
    assert link("javascript:{key}") == link("") == link_to(None, step) == ""
    step.external_id = ""
    assert link("https://t.example/{external_id}") == ""


def test_what_is_tried_again_is_a_quiet_line(operator: Any) -> None:
    later = timezone.now() + timedelta(minutes=2)
    item = make_item(make_task(updated_at=timezone.now()), status=ItemStatus.RUNNING)
    make_step(item, failures=4, due_at=later, error="busy")
    html = read(operator)
    assert "1 step is being tried again." in html
    assert "nothing is blocked or stands still." in html
    assert "Enjoy the quiet" not in html


def test_failed_items_are_on_the_tab_of_the_list_and_in_the_navigation(operator: Any) -> None:
    task = make_task(status=TaskStatus.COMPLETED)
    make_item(task, status=ItemStatus.FAILED)
    html = logged_in(operator).get("/?tab=attention").content.decode()
    assert f'id="task-{task.pk}"' in html
    assert 'id="attention-badge">1<' in html
