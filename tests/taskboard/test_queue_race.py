"""Tasks that become ready at the same moment keep to the limit of running ones."""

import threading
from typing import Any

import pytest

from taskboard import task_queue
from taskboard.errors import QueueFull
from taskboard.models import Task
from taskboard.start import start_task
from tests.background import Background
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 4


def ready() -> list[Task]:
    waiting = {"status": "pending", "started_at": None, "items_read": True}
    tasks = [make_task(**waiting, queue_position=number) for number in range(AT_ONCE)]
    for task in tasks:
        make_step(make_item(task))
    return tasks


@pytest.mark.parametrize("most", [1, 2])
def test_ready_at_once_they_do_not_pass_the_limit(settings: Any, most: int) -> None:
    settings.TASKBOARD_MAX_RUNNING = most
    for _ in range(5):
        Task.objects.update(status="completed")
        tasks, gun = ready(), threading.Barrier(AT_ONCE)

        def let_in(task: Task, gun: threading.Barrier = gun) -> None:
            gun.wait(20)
            task_queue.let_in(task.pk)

        for one in [Background(let_in, task) for task in tasks]:
            one.end()
        assert Task.objects.filter(status="running").count() <= most
        while any(task_queue.let_in(task.pk) for task in Task.objects.filter(status="pending")):
            pass
        running = Task.objects.filter(status="running").order_by("queue_position")
        assert list(running) == tasks[:most]


def test_a_door_that_is_held_makes_the_next_one_wait_and_count_again(settings: Any) -> None:
    """Two transactions, the second of which began while the first had let its task in, uncommitted."""
    settings.TASKBOARD_MAX_RUNNING = 1
    first, second = ready()[:2]
    inside, go_on = threading.Event(), threading.Event()

    def hold(*arguments: Any) -> Any:
        answer = is_next(*arguments)
        inside.set()
        go_on.wait(20)
        return answer

    is_next = task_queue._is_next
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_queue, "_is_next", hold)
        one = Background(task_queue.let_in, first.pk)
        assert inside.wait(20)
        patch.setattr(task_queue, "_is_next", is_next)
        two = Background(task_queue.let_in, second.pk)
        go_on.set()
        one.end()
        two.end()
    assert list(Task.objects.filter(status="running")) == [first]


def test_started_at_once_they_do_not_pass_the_limit_of_waiting_ones(settings: Any, operator: Any) -> None:
    settings.TASKBOARD_MAX_QUEUED = 2
    gun, refused = threading.Barrier(AT_ONCE), []

    def start() -> None:
        gun.wait(20)
        try:
            start_task("linear", {"items": 1}, user=operator)
        except QueueFull as error:
            refused.append(error.message)

    for one in [Background(start) for _ in range(AT_ONCE)]:
        one.end()
    assert (Task.objects.count(), len(refused)) == (2, AT_ONCE - 2)


def test_a_form_sent_twice_at_once_into_the_last_place_is_answered_twice_with_its_task(
    settings: Any, operator: Any
) -> None:
    settings.TASKBOARD_MAX_QUEUED = 1
    gun, answers = threading.Barrier(AT_ONCE), list[str]()

    def start() -> None:
        gun.wait(20)
        answers.append(start_task("linear", {"items": 1}, user=operator, submit_token="t" * 32).public_id)

    for one in [Background(start) for _ in range(AT_ONCE)]:
        one.end()
    assert answers == [Task.objects.get().public_id] * AT_ONCE


def test_a_form_sent_again_while_the_first_is_on_its_way_into_the_last_place(
    settings: Any, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has seen no task of its form, and then finds the queue full: of its own."""
    settings.TASKBOARD_MAX_QUEUED = 1
    options: dict[str, Any] = {"user": operator, "submit_token": "t" * 32}
    first = start_task("linear", {"items": 1}, **options)
    seen = iter([None, first])
    monkeypatch.setattr("taskboard.start.started_with", lambda _token: next(seen))
    assert start_task("linear", {"items": 1}, **options) == first
    assert next(seen, "all asked for") == "all asked for"
