"""What pages say of a task that does not run: nothing of it spins, and nothing is promised."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

import tests.workflows  # noqa: F401 registers the zoo
from taskboard import wording
from taskboard.models import Checkpoint, ItemStatus, Kind, Task, TaskStatus
from taskboard.views.entries import entries, told
from tests.conftest import logged_in
from tests.factories import NOW, make_approval, make_item, make_step, make_task


def page(person: AbstractBaseUser, address: str) -> str:
    return str(logged_in(person).get(address).content.decode())


def test_an_item_that_has_begun_does_not_run_while_its_task_is_blocked(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED)
    item = make_item(task, status=ItemStatus.RUNNING)
    assert "Begun" in page(operator, task.get_absolute_url())
    assert "Begun" in page(operator, item.get_absolute_url())
    assert 'aria-label="1 Begun"' in page(operator, "/")


def test_a_held_task_is_held_and_nothing_else(operator: AbstractBaseUser) -> None:
    task = make_task(held=True, status=TaskStatus.RUNNING)
    html = page(operator, task.get_absolute_url())
    assert "Held" in html
    assert "Running" not in html


def test_a_cancelled_task_promises_no_step(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", status=TaskStatus.CANCELLED)
    make_item(task, status=ItemStatus.CANCELLED)
    html = page(operator, task.get_absolute_url())
    assert "to come" not in html
    assert "0 of 1 done before it was cancelled" in html


def test_a_failed_task_without_items_waits_for_none(operator: AbstractBaseUser) -> None:
    html = page(operator, make_task(status=TaskStatus.FAILED).get_absolute_url())
    assert "The task ended before it had any." in html


def test_a_waiting_step_leads_to_its_question(operator: AbstractBaseUser) -> None:
    asked = make_approval()
    assert asked.step is not None
    assert f'href="{asked.get_absolute_url()}"' in page(operator, asked.step.item.get_absolute_url())


@pytest.mark.parametrize(
    ("statuses", "sentence"),
    [
        ([ItemStatus.REJECTED], "Its one item is settled. 1 was rejected."),
        (
            [ItemStatus.DONE, ItemStatus.REJECTED, ItemStatus.REJECTED],
            "All 3 items are settled. 2 were rejected.",
        ),
    ],
)
def test_one_and_many_are_told_apart(db: None, statuses: list[str], sentence: str) -> None:
    task = make_task(status=TaskStatus.COMPLETED)
    for status in statuses:
        make_item(task, status=status)
    assert wording.why(Task.objects.get(pk=task.pk)) == sentence


def test_the_journal_says_who_was_written_to_and_why() -> None:
    assert told({"mail": "sent", "turn": "completed", "to": "ops"}) == "Mail to ops: Completed"


def test_the_journal_names_steps_as_the_pages_do() -> None:
    row = Checkpoint(kind=Kind.RESULT, step="apply_fix", data={})
    assert [entry.step for entry in entries(Task(workflow="seo-audit"), [row])] == ["Apply fix"]


def glance(task: Task, now: datetime = NOW) -> str:
    return wording.at_a_glance(Task.objects.get(pk=task.pk), now)


@pytest.mark.parametrize(
    "status", [TaskStatus.WAITING, TaskStatus.RUNNING, TaskStatus.PAUSED, TaskStatus.COMPLETED]
)
def test_failures_are_named_once_wherever_the_task_stands(db: None, status: TaskStatus) -> None:
    task = make_task(status=status)
    for _ in range(2):
        make_item(task, status=ItemStatus.FAILED)
    assert glance(task).count("2 failed.") == 1


def test_what_is_tried_again_is_told_with_the_next_moment(db: None) -> None:
    task = make_task(status=TaskStatus.WAITING)
    for seconds in (40, 90):
        item = make_item(task, status=ItemStatus.RUNNING)
        make_step(item, failures=3, due_at=NOW + timedelta(seconds=seconds))
    assert glance(task).endswith("2 steps are being tried again. The next one in about 40 s.")
    assert "tried again." not in glance(task, NOW + timedelta(minutes=5))


def test_where_a_task_is_told_to_stop_is_told_while_it_waits(db: None) -> None:
    told = glance(make_task(status=TaskStatus.WAITING, stop_after={"items": 12, "by": "ops"}))
    assert "It stops after 12 items, as ops said: no others are begun." in told
    told = glance(make_task(stop_after={"step": "look", "by": "ops"}))
    assert "It stops after the step look, as ops said: no later step is begun." in told


def test_a_task_that_stopped_as_told_says_so_first(db: None) -> None:
    task = make_task(status=TaskStatus.PAUSED, reason="Stopped after 12 items, as ops said.")
    assert (
        glance(task) == "Stopped after 12 items, as ops said. Nothing is begun until someone presses Resume."
    )


def test_a_row_of_a_resume_says_its_step_and_what_it_found() -> None:
    found = {"number": 8, "step": "go_on", "found": {"claimable": 3}}
    quiet = {"nothing_found": ["list_started", "ask_outside"]}
    rows = [Checkpoint(kind=Kind.RESUME, data=data) for data in (found, quiet)]
    assert [(entry.title, entry.told) for entry in entries(Task(workflow="zoo"), rows)] == [
        ("Resume: Go on", "3 steps can be begun"),
        ("Resume", "Nothing found: List what was begun and not finished, Ask outside what became of it"),
    ]


def test_a_task_whose_source_held_nothing_says_so(db: None) -> None:
    task = make_task(status=TaskStatus.COMPLETED)
    assert glance(task) == "There was nothing to do: its source holds no items."
