"""What pages say of a task that does not run: nothing of it spins, and nothing is promised."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

import tests.workflows  # noqa: F401 registers the zoo
from taskboard.models import Checkpoint, ItemStatus, Kind, Task, TaskStatus
from taskboard.views import wording
from taskboard.views.entries import entries, told
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_task


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
