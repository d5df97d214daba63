"""Nothing that stops a task is left out, and numbers on two pages say what they count."""

import re

import pytest
from django.contrib.auth.models import User

from taskboard import wording
from taskboard.declaration import StepSpec
from taskboard.models import Checkpoint, ItemStatus, Kind, StepStatus, Task, TaskStatus
from taskboard.views import effect_links
from taskboard.views.entries import told
from taskboard.workflows.seo_audit.ticket_book import TicketBook
from tests.conftest import logged_in
from tests.factories import NOW, make_approval, make_item, make_step, make_task


def page(person: User, address: str) -> str:
    return str(logged_in(person).get(address).content.decode())


def waiting() -> Task:
    task = make_approval().task
    make_step(make_item(task, "stuck", status=ItemStatus.BLOCKED), "look", status=StepStatus.BLOCKED)
    return Task.objects.get(pk=task.pk)


def test_a_waiting_task_names_its_blocked_items_and_leads_to_them(operator: User) -> None:
    task = waiting()
    assert wording.at_a_glance(task, NOW).endswith("1 question is open. 1 needs a person.")
    state = re.search(
        r'id="state" class="state">(.*?)</div>', page(operator, task.get_absolute_url()), re.DOTALL
    )
    assert state
    assert 'href="/attention/"' in state[1]


def test_a_task_that_needs_nobody_leads_nowhere(operator: User) -> None:
    html = page(operator, make_approval().task.get_absolute_url())
    state = re.search(r'id="state" class="state">(.*?)</div>', html, re.DOTALL)
    assert state
    assert "/attention/" not in state[1]


@pytest.mark.parametrize("status", [TaskStatus.WAITING, TaskStatus.RUNNING])
def test_a_row_says_that_a_freeze_holds_it_up(operator: User, status: TaskStatus) -> None:
    task = make_approval().task
    Task.objects.filter(pk=task.pk).update(frozen_systems="tracker", status=status)
    html = page(operator, "/")
    assert html.count("Steps wait until this is thawed: tracker.") == 1
    assert "Managers · 1 · oldest" in html


def test_the_page_says_that_the_badge_counts_tasks(operator: User) -> None:
    task = waiting()
    make_step(make_item(task, "b", status=ItemStatus.BLOCKED), "look", status=StepStatus.BLOCKED)
    html = page(operator, "/attention/")
    assert "1 task needs a person." in html
    assert 'title="tasks that need a person"' in html


def test_the_tab_says_that_its_tasks_stand_elsewhere_too(operator: User) -> None:
    waiting()
    assert page(operator, "/").count('title="These tasks stand in another list as well."') == 1


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({"items": 10}, "after 10 items"),
        ({"items": 1}, "after 1 item"),
        ({"step": "notify"}, "after the step notify"),
        ({}, "nowhere: it goes on to its end"),
    ],
)
def test_the_journal_says_where_it_stops(data: dict[str, object], line: str) -> None:
    assert told(Checkpoint(kind=Kind.PERSON, data={"did": "stop after", **data}).data) == line


def test_what_was_adopted_is_looked_for_by_its_id(db: None) -> None:
    spec = StepSpec("create_ticket", print, True, where=TicketBook.where)
    step = make_step(make_item(make_task()), "create_ticket", idempotency_key="the:key")
    assert effect_links.where_to_look(spec, step).endswith("manage.py tickets the:key")
    step.external_id = "T-17"
    assert effect_links.where_to_look(spec, step).endswith("manage.py tickets T-17")
