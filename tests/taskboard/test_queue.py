"""So many tasks at once; the others wait in their order."""

from typing import Any

import pytest

from taskboard.engine import work
from taskboard.errors import QueueFull
from taskboard.models import Task
from taskboard.start import start_task
from taskboard.steering import steer
from tests.background import working_on

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _one_at_a_time(settings: Any) -> None:
    settings.TASKBOARD_MAX_RUNNING = 1
    settings.TASKBOARD_MAX_QUEUED = 2


def start(user: Any, workflow: str = "linear") -> Task:
    return start_task(workflow, {"items": 1}, user=user)


def status(task: Task) -> str:
    return Task.objects.get(pk=task.pk).status


def test_the_next_waits_until_there_is_room(operator: Any) -> None:
    first, second = start(operator, "slow"), start(operator)
    with working_on(first):
        work.until_idle(second.pk)
        assert (status(first), status(second)) == ("running", "pending")
    work.until_idle()
    assert (status(first), status(second)) == ("completed", "completed")


def test_the_order_is_the_one_that_people_gave(operator: Any) -> None:
    blocker, first = start(operator, "slow"), start(operator)
    with working_on(blocker):
        second = start(operator)
        Task.objects.filter(pk=second.pk).update(queue_position=-1)
        work.until_idle()
    work.run_task(first.pk)
    assert (status(first), status(second)) == ("pending", "pending")
    work.run_task(second.pk)
    work.run_task(first.pk)
    assert (status(first), status(second)) == ("completed", "completed")


def test_a_full_queue_refuses_with_a_sentence(operator: Any) -> None:
    for _ in range(2):
        start(operator)
    with pytest.raises(QueueFull, match="2 tasks are waiting already"):
        start(operator)
    assert Task.objects.count() == 2


def test_a_waiting_task_can_be_taken_out(operator: Any) -> None:
    task = start(operator)
    steer.cancel(task, operator)
    work.until_idle()
    assert status(task) == "cancelled"


def test_the_same_form_sent_twice_starts_one_task(operator: Any) -> None:
    """DUP-09."""
    one, two = (start_task("linear", {"items": 1}, user=operator, submit_token="form-1") for _ in range(2))
    assert one.pk == two.pk
