"""What an imported task has done is known by its effect keys, so no task does it again."""

import json
from typing import Any

import pytest

from taskboard import document
from taskboard.engine import work
from taskboard.models import Checkpoint, Effect, Step, Task
from taskboard.recount import differences
from taskboard.resume.run import resume_task
from taskboard.start import start_task
from tests import effect_workflows  # noqa: F401 registers them
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)
OLD = "task_20260101_0001"
FIRST = {"name": "open", "item__key": "item_001"}


def brought_along(user: Any, *, finished: bool) -> Task:
    """A task of another installation, written down there without effect keys."""
    task = start_task("ticketing", {"items": 2}, user=user)
    work.until_idle(task.pk)
    told = document.of(Task.objects.get(pk=task.pk))
    Effect.objects.all().delete()
    for item in told["items"].values():
        del item["steps"]["open"]["effect_key"]
    if not finished:
        told["items"]["item_002"]["steps"]["read"] = {"status": "pending"}
        told["items"]["item_002"] |= {"status": "running", "stage": "read"}
        told["progress"] |= {"done": 1, "pending": 1}
        told["status"] = "running"
        del told["finished_at"]
    return document.load(json.dumps(told).replace(task.public_id, OLD).encode(), "ops")


def test_a_finished_one_is_known_at_once(operator: Any) -> None:
    task = brought_along(operator, finished=True)
    effect, step = Effect.objects.get(key="ticket:item_001"), Step.objects.get(task=task, **FIRST)
    assert (effect.task, effect.step, effect.made_by) == (task, step, f"{OLD}:item_001:open")
    assert effect.external_id == step.external_id != ""
    assert list(differences(task)) == []


def test_an_unfinished_one_is_known_when_it_is_resumed(operator: Any) -> None:
    task = brought_along(operator, finished=False)
    assert not Effect.objects.exists()
    resume_task(task, "ops")
    told = Checkpoint.objects.filter(task=task, kind="resume").values_list("data", flat=True)
    assert "'effects_known': 2" in str(list(told))
    assert Effect.objects.count() == 2


def test_no_other_task_does_it_again(operator: Any) -> None:
    first = brought_along(operator, finished=True)
    calls = len(World().keys())
    task = start_task("ticketing", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    step, known = Step.objects.get(task=task, **FIRST), Step.objects.get(task=first, **FIRST)
    assert (step.external_id, len(World().keys())) == (known.external_id, calls)
    assert step.summary == f"Already there, from task {OLD}, step item_001.open."


def test_where_a_key_cannot_be_worked_out_there_is_none(operator: Any) -> None:
    task = brought_along(operator, finished=False)
    Task.objects.filter(pk=task.pk).update(params={"items": 2, "mode": "number"})
    resume_task(task, "ops")
    assert not Effect.objects.exists()
