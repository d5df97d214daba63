"""Where a task is told to stop."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from taskboard import stop_point
from taskboard.engine import work
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.stop import stop_after
from taskboard.workflow import get
from tests import steered_workflows  # noqa: F401 registers them
from tests.factories import make_task

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def done(task: Task) -> list[str]:
    steps = Step.objects.filter(task=task, status="done").select_related("item").order_by("pk")
    return [f"{step.item.key}.{step.name}" for step in steps]


@pytest.fixture
def task(operator: Any) -> Task:
    return start_task("counting", {"items": 5}, user=operator)


def test_no_step_behind_the_named_one_is_begun(operator: Any, task: Task) -> None:
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    stopped = fresh(task)
    assert (stopped.status, stopped.reason) == ("paused", "Stopped after the step look, as ops said.")
    assert done(task) == [f"item_00{number}.look" for number in range(1, 6)]


def test_a_resume_goes_on_to_the_end(operator: Any, task: Task) -> None:
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    steer.resume(task, operator)
    work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    assert len(done(task)) == 11


def test_no_new_item_beyond_the_number_is_begun(operator: Any, task: Task) -> None:
    stop_after(task, operator, items=2)
    work.until_idle(task.pk)
    stopped = fresh(task)
    assert (stopped.status, stopped.item_counts) == ("paused", {"done": 2, "pending": 3})
    assert stopped.reason == "Stopped after 2 items, as ops said."


def test_more_items_than_there_are_let_it_come_to_its_end(operator: Any, task: Task) -> None:
    stop_after(task, operator, items=50)
    work.until_idle(task.pk)
    assert fresh(task).status == "completed"


def test_a_task_that_waits_for_people_is_not_paused_before_they_have_answered(operator: Any) -> None:
    task = start_task("asking", {"items": 1}, user=operator)
    stop_after(task, operator, step="pay")
    work.until_idle(task.pk)
    assert fresh(task).status == "waiting"


def test_it_is_not_paused_while_a_question_within_the_stop_is_open(operator: Any) -> None:
    task = start_task("asking", {"items": 2}, user=operator)
    stop_after(task, operator, items=1)
    work.until_idle(task.pk)
    stopped = fresh(task)
    assert (stopped.status, stopped.item_counts) == ("waiting", {"waiting_approval": 1, "pending": 1})


def test_the_stop_can_be_taken_back(operator: Any, task: Task) -> None:
    stop_after(task, operator, step="look")
    stop_after(task, operator)
    work.until_idle(task.pk)
    assert fresh(task).status == "completed"


def test_what_comes_behind_a_step_is_found_through_others_and_the_whole_task() -> None:
    diamond = list(get("diamond").steps.values())
    assert stop_point.behind(diamond, "start") == {"left", "right", "join", "middle", "report"}
    assert stop_point.behind(diamond, "right") == {"join", "report"}
    assert stop_point.behind(diamond, "report") == set()


def test_what_cannot_be_is_refused(operator: Any, manager: Any, task: Task) -> None:
    with pytest.raises(BadInput, match="the steps are: look, write, report"):
        stop_after(task, operator, step="nothing")
    with pytest.raises(BadInput, match="not both"):
        stop_after(task, operator, step="look", items=2)
    with pytest.raises(BadInput, match="1 or more"):
        stop_after(task, operator, items=-1)
    with pytest.raises(NotAllowed):
        stop_after(task, manager, step="look")
    with pytest.raises(WrongState, match="nothing to stop"):
        stop_after(make_task(workflow="counting", status="completed"), operator, step="look")


def test_the_command_says_how_far_it_goes(operator: Any, task: Task) -> None:
    out = StringIO()
    call_command("stopafter", task.public_id, "--items=2", "--as=ops", stdout=out)
    assert out.getvalue() == f"{task.public_id} goes on to 2 items.\n"
    assert fresh(task).stop_after == {"items": 2, "by": "ops"}
