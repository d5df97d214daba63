"""The order of the waiting tasks, on the page."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

from taskboard.models import Checkpoint, Kind, Task, TaskStatus
from taskboard.steering import queue
from tests.conftest import logged_in
from tests.factories import make_task


def line(number: int = 3) -> list[Task]:
    return [
        make_task(status=TaskStatus.PENDING, queue_position=place, goal=f"Task {place}", started_at=None)
        for place in range(1, number + 1)
    ]


def order() -> list[str]:
    return [task.goal for task in queue.waiting()]


def press(person: AbstractBaseUser, task: Task, verb: str, **headers: str) -> Any:
    return logged_in(person).post(f"/tasks/{task.public_id}/queue/{verb}/", headers=headers)


def test_the_queue_is_shown_in_its_order_with_its_buttons(operator: AbstractBaseUser) -> None:
    first, second, _third = line()
    queue.move(second, operator, 1)
    page = logged_in(operator).get("/?tab=queue").content.decode()
    assert page.index("Task 2") < page.index("Task 1")
    assert f"/tasks/{first.public_id}/queue/up/" in page


def test_a_manager_sees_the_queue_without_buttons(manager: AbstractBaseUser) -> None:
    task = line()[0]
    page = logged_in(manager).get("/?tab=queue").content.decode()
    assert task.goal in page
    assert "/queue/up/" not in page
    assert press(manager, task, "up").status_code == 403
    assert order() == ["Task 1", "Task 2", "Task 3"]


def test_a_task_moves_up_and_down_by_one(operator: AbstractBaseUser) -> None:
    first, _second, third = line()
    assert press(operator, third, "up")["Location"] == "/?tab=queue"
    assert order() == ["Task 1", "Task 3", "Task 2"]
    press(operator, first, "down")
    assert order() == ["Task 3", "Task 1", "Task 2"]
    told = Checkpoint.objects.filter(kind=Kind.PERSON).order_by("pk").last()
    assert told is not None
    assert told.data == {"did": "move in the queue", "place": 2}
    assert told.actor == "ops"


def test_the_ends_of_the_queue_hold(operator: AbstractBaseUser) -> None:
    first, _second, third = line()
    press(operator, first, "up")
    press(operator, third, "down")
    assert order() == ["Task 1", "Task 2", "Task 3"]


def test_a_task_is_taken_out_for_good(operator: AbstractBaseUser) -> None:
    task = line()[1]
    press(operator, task, "take-out")
    task.refresh_from_db()
    assert task.status == TaskStatus.CANCELLED
    assert order() == ["Task 1", "Task 3"]


def test_the_list_before_the_person_is_shown_anew(operator: AbstractBaseUser) -> None:
    task = line()[2]
    where = {"HX-Request": "true", "HX-Current-URL": "http://testserver/?tab=queue&q=task"}
    answer = press(operator, task, "up", **where).content.decode()
    assert 'hx-target="#list"' in answer
    assert answer.index("Task 3") < answer.index("Task 2")
    assert "Moved up." in answer


def test_one_that_has_begun_meanwhile_is_refused_with_a_reason(operator: AbstractBaseUser) -> None:
    task = line()[0]
    Task.objects.filter(pk=task.pk).update(status=TaskStatus.RUNNING)
    answer = press(operator, task, "up", **{"HX-Request": "true"})
    assert answer.status_code == 409
    assert "does not wait in the queue" in answer.content.decode()


def test_taking_out_asks_once_more_without_a_script_too(operator: AbstractBaseUser) -> None:
    """The button beside the row only opens what asks; the form that takes it out lies in there alone."""
    task = line(1)[0]
    page = logged_in(operator).get("/?tab=queue").content.decode()
    opener, asks = f'type="button" popovertarget="sure-{task.pk}" aria-label', f'id="sure-{task.pk}" popover'
    assert page.count(opener) == 1
    before, inside = page.split(asks)
    action = f'<form method="post" action="/tasks/{task.public_id}/queue/take-out/"'
    assert action not in before
    assert action in inside
    assert "for good. Nothing of it has been done." in inside
    assert "data-confirm" not in page
