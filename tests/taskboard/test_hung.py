"""A call that does not answer within its time limit says so, is not tried for ever, and is no lost worker."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import lifecycle, workflow
from taskboard.engine import claim, read, reconcile, work
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import doubt_workflows, effect_workflows, long_workflows  # noqa: F401 registers them
from tests.background import Background
from tests.conftest import logged_in
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)
UNASKED = "whether a person must agree (approval())"


@pytest.fixture(autouse=True)
def _closed() -> Any:
    GATE.clear()
    yield
    GATE.set()
    until(lambda: not any(one.name.startswith("step-") for one in threading.enumerate()), what="late reports")


def begin(user: Any, name: str, mode: str = "") -> Task:
    task = start_task(name, {"items": 1, "mode": mode}, user=user)
    read.read_items(task.pk, work.stopping)
    return task


def run(task: Task) -> None:
    """A worker that does not wait for hung calls."""
    Background(work.until_idle, task.pk).end()


def sweep_later(task: Task) -> None:
    """Once the lease is over that the call had."""
    Step.objects.filter(task=task, status="started").update(lease_until=timezone.now() - timedelta(minutes=1))
    assert sweep().resumed == 1


def agrees(task: Task, status: str) -> None:
    task.refresh_from_db()
    assert (task.status, task.reserved_micro, list(differences(task))) == (status, 0, [])


def test_a_call_beyond_its_time_limit_says_so_wherever_it_is_told(operator: Any) -> None:
    task = begin(operator, "hanging")
    run(task)
    (row,) = Checkpoint.objects.filter(task=task, kind="interrupted")
    assert (row.data["reason"], row.data["deaths"]) == ("No answer within 1 second.", 1)
    assert sweep().resumed == 0
    assert not reconcile.lost_a_worker(task.pk, timezone.now())
    sweep_later(task)
    html = logged_in(operator).get(f"/tasks/{task.public_id}/items/item_001/").content.decode()
    assert "No answer in time" in html
    assert "No answer within 1 second." in html
    assert "lease" not in html
    agrees(task, "completed")
    assert task.restart_count == 0


def test_an_answer_that_comes_before_anybody_looked_still_counts(operator: Any) -> None:
    task = begin(operator, "hanging")
    run(task)
    GATE.set()
    until(lambda: Step.objects.get(task=task).status == "done", what="the late answer")
    task.refresh_from_db()
    assert (task.status, len(World().keys())) == ("completed", 1)
    agrees(task, "completed")


def test_one_that_is_not_found_is_tried_again_with_the_same_words(operator: Any) -> None:
    task = begin(operator, "dozing", "look")
    run(task)
    sweep_later(task)
    assert Step.objects.get(task=task).error == "No answer within 1 second."


def test_one_that_never_answers_is_blocked_in_the_end(operator: Any) -> None:
    task = begin(operator, "dozing", "look")
    Step.objects.update(deaths=2)
    run(task)
    sweep_later(task)
    step = Step.objects.get(task=task)
    assert (step.status, step.error_class) == ("blocked", "TimeLimit")
    assert step.error == "No answer within 1 second. It was tried 3 times."
    agrees(task, "blocked")


def test_a_question_that_is_not_worked_out_in_time_fails_like_any_call(operator: Any) -> None:
    task = begin(operator, "dozing")
    run(task)
    step = Step.objects.get(task=task, name="pay")
    assert (step.status, step.error_class, step.attempt) == ("failed", "TimeLimit", 0)
    assert step.error == f"Working out {UNASKED}: No answer within 1 second. (tried 2 times)"
    assert World().keys() == []
    agrees(task, "completed")


def test_a_question_that_kills_its_worker_is_not_worked_out_for_ever(operator: Any) -> None:
    GATE.set()
    task = begin(operator, "costly", "ask")
    for _ in range(3):
        assert is_prepared_elsewhere(task)
    assert not is_prepared_elsewhere(task)
    step = Step.objects.get(task=task)
    assert (step.status, step.error_class, step.deaths) == ("blocked", "KillsWorker", 3)
    assert step.error == f"The worker was lost while it worked out {UNASKED}. It was tried 3 times."
    assert Checkpoint.objects.filter(task=task, kind="interrupted").count() == 3
    agrees(task, "blocked")


def is_prepared_elsewhere(task: Task) -> bool:
    """A worker takes the step to work out its question, and dies."""
    with lifecycle.changing(task.pk, "worker elsewhere") as change:
        taken = claim.claim(change, workflow.get(task.workflow), "elsewhere/4026531836/1@1", 1)
    Step.objects.filter(task=task).update(lease_until=timezone.now() - timedelta(minutes=1))
    return bool(taken)
