"""Shapes of workflows: whole-task steps, going back, side by side."""

from typing import Any

import pytest

from taskboard.engine import work
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.background import working_on
from tests.processes import until
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def run(user: Any, workflow: str, items: int = 2, mode: str = "") -> Task:
    task = start_task(workflow, {"items": items, "mode": mode}, user=user)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert list(differences(task)) == []
    return task


@pytest.mark.parametrize("items", [0, 1, 3])
def test_what_comes_after_everything_waits_for_the_other_whole_task_steps(operator: Any, items: int) -> None:
    task = run(operator, "ending", items)
    assert task.status == "completed"
    assert World().keys() == ["groups", "publish", "report"]


def test_what_comes_after_everything_comes_also_if_a_whole_task_step_gave_up(operator: Any) -> None:
    task = run(operator, "ending", mode="gives up")
    assert task.status == "failed"
    assert World().keys() == ["report"]


def test_a_whole_task_step_that_gave_up_can_be_skipped_and_the_task_is_complete(operator: Any) -> None:
    task = run(operator, "ending", mode="gives up")
    steer.skip_step(Step.objects.get(task=task, name="groups"), operator, "nobody needs it")
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.status == "completed"
    assert World().keys() == ["report", "publish"]
    assert list(differences(task)) == []


def test_going_back_keeps_one_write_and_repeats_the_other(operator: Any) -> None:
    task = run(operator, "rework", 1, mode="1")
    assert task.status == "completed"
    base = f"{task.public_id}:item_001"
    assert sorted(World().keys()) == [f"{base}:again", f"{base}:again:2", f"{base}:keep"]
    assert Step.objects.get(task=task, name="keep", revision=2).external_id


def test_going_back_too_often_blocks_the_item(operator: Any) -> None:
    task = run(operator, "rework", 1, mode="9")
    assert (task.status, task.item_counts) == ("blocked", {"blocked": 1})
    assert Step.objects.current().get(task=task, name="check").error.startswith("Went back 2 times already")


def test_a_failed_step_that_is_skipped_makes_its_item_done(operator: Any) -> None:
    task = run(operator, "moody", 1, mode="give_up")
    steer.skip_step(Step.objects.get(task=task, name="act"), operator, "not needed after all")
    task.refresh_from_db()
    assert (task.status, task.item_counts) == ("completed", {"done": 1})
    assert Checkpoint.objects.filter(task=task, kind="person").get().data["reason"] == "not needed after all"


def test_going_back_waits_for_a_write_beside_it(operator: Any) -> None:
    """Put aside while it is in the air, it would be done a second time under a new key."""
    task = start_task("beside", {"items": 1}, user=operator)
    with working_on(task):
        waits = Step.objects.filter(task=task, name="check", error__contains="A write beside it has to end")
        until(waits.exists, what="the wait")
    Step.objects.filter(task=task, status="pending").update(due_at=None)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.status == "completed"
    assert World().keys() == [f"{task.public_id}:item_001:send"]
    assert Step.objects.get(task=task, name="send", revision=2).status == "done"
    assert list(differences(task)) == []
