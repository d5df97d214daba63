"""What a batch opens is begun in the transaction that opens it, unless somebody has a say in it first."""

import threading
from typing import Any

import pytest

from taskboard import lifecycle, workflow
from taskboard.engine import claim, read, record
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Accepted, Finished, Report
from taskboard.engine.record import Ended
from taskboard.models import Checkpoint, Step, Task
from taskboard.outcomes import Done
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.stop import stop_after
from tests import frozen_workflows, odd_workflows, workflows  # noqa: F401 registers them
from tests.factories import NOW

pytestmark = pytest.mark.django_db(transaction=True)
ME = "here/1@1"
SEEN = Report(Finished(Accepted(Done("seen", outputs={"number": 7}), NOW)))


@pytest.fixture
def task(operator: Any) -> Task:
    return ready(operator, "linear")


def ready(operator: Any, name: str) -> Task:
    task = start_task(name, {"items": 3}, user=operator)
    assert read.read_items(task.pk, threading.Event())
    return task


def held(task: Task) -> list[Ended]:
    """The first step of each item, in hand, and about to be done."""
    with lifecycle.changing(task.pk, "test") as change:
        return [Ended(one, SEEN) for one in claim.claim(change, workflow.get(task.workflow), ME, 8)]


def written(task: Task, ended: list[Ended], room: int = 8) -> list[Claimed]:
    with lifecycle.changing(task.pk, "test") as change:
        return record.record(change, ended, ME, may_start=True, room=room)


def statuses(task: Task, step: str) -> list[str]:
    assert list(differences(task)) == []
    return list(
        Step.objects.filter(task=task, name=step).order_by("position").values_list("status", flat=True)
    )


def test_the_next_step_is_inserted_as_started_with_its_intent(task: Task) -> None:
    begun = written(task, held(task))
    assert statuses(task, "write") == ["started"] * 3
    steps = Step.objects.filter(task=task, name="write").order_by("position")
    assert [(one.step.pk, one.outputs, one.item.key) for one in begun] == [
        (step.pk, {"look": {"number": 7}}, f"item_{step.position:03}") for step in steps
    ]
    assert {(step.attempt, step.lease_owner, step.started_at is None) for step in steps} == {(1, ME, False)}
    kinds = Checkpoint.objects.filter(task=task, item_key="item_001").order_by("ordinal")
    assert list(kinds.values_list("kind", "step")) == [
        ("intent", "look"),
        ("result", "look"),
        ("intent", "write"),
    ]


def test_what_finds_no_room_is_pending(task: Task) -> None:
    assert len(written(task, held(task), room=2)) == 2
    assert statuses(task, "write") == ["started", "started", "pending"]


def test_steps_in_the_hands_of_another_worker_take_its_room(operator: Any) -> None:
    """Of four at once, one has ended and opens three, while three others still run."""
    task = start_task("outside", {"items": 4}, user=operator)
    assert read.read_items(task.pk, threading.Event())
    first, *_others = held(task)
    assert statuses(task, "look") == ["started"] * 4
    assert len(written(task, [first])) == 1
    begun = Step.objects.filter(task=task, item=first.claimed.item).exclude(name="look")
    assert sorted(begun.values_list("status", flat=True)) == ["pending", "pending", "started"]


def test_a_worker_that_ends_begins_nothing(task: Task) -> None:
    assert written(task, held(task), room=0) == []
    assert statuses(task, "write") == ["pending"] * 3


def test_a_paused_task_begins_nothing(operator: Any, task: Task) -> None:
    ended = held(task)
    steer.pause(task, operator)
    assert written(task, ended) == []
    assert statuses(task, "write") == ["pending"] * 3


def test_a_task_that_is_told_to_stop_begins_nothing_beyond(operator: Any, task: Task) -> None:
    ended = held(task)
    stop_after(task, operator, step="look")
    assert written(task, ended) == []
    assert statuses(task, "write") == ["pending"] * 3


def test_a_step_that_a_person_may_have_to_agree_to_is_claimed_like_any_other(operator: Any) -> None:
    task = ready(operator, "drafting")
    assert written(task, held(task)) == []
    assert statuses(task, "publish") == ["pending"] * 3


def test_a_task_without_money_begins_nothing(task: Task) -> None:
    ended = held(task)
    Task.objects.filter(pk=task.pk).update(out_of_budget=True)
    assert written(task, ended) == []
    assert statuses(task, "write") == ["pending"] * 3
