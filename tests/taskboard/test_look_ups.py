"""A look-up that hangs or fails keeps nobody else waiting, and in the end a person is asked."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard.engine import lookup, time_limit, work
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import doubt_workflows, odd_workflows  # noqa: F401 registers them
from tests.doubt_workflows import ANSWERS, ASKINGS
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


def start(user: Any, workflow: str, mode: str = "") -> Task:
    task = start_task(workflow, {"items": 1, "mode": mode}, user=user)
    work.until_idle(task.pk)
    return task


def sweep_later(task: Task) -> None:
    """When the time has come to look it up (again)."""
    past = timezone.now() - timedelta(minutes=1)
    Step.objects.filter(task=task, status="started").update(lease_until=past)
    sweep()


def looks(task: Task) -> list[dict[str, Any]]:
    return [row.data for row in Checkpoint.objects.filter(task=task, kind="reconcile")]


def all_come_back(task: Task, calls: int) -> None:
    GATE.set()
    ANSWERS.set()
    late = Checkpoint.objects.filter(task=task, kind="late")
    until(lambda: late.count() == calls, 60, "the late results")


def test_one_that_hangs_is_left_behind_and_asked_again(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STUCK-08: decisions and other tasks do not wait behind it."""
    monkeypatch.setattr(time_limit, "LONGEST", timedelta(seconds=0.2))
    GATE.clear()
    ANSWERS.clear()
    task = start(operator, "lingering")
    sweep_later(task)
    step = Step.objects.get(task=task)
    assert (step.status, step.lease_owner, looks(task)[0]["failures"]) == ("started", "", 1)
    all_come_back(task, 1)
    sweep_later(task)
    step.refresh_from_db()
    assert (step.status, step.deaths, len(World().keys())) == ("done", 1, 1)
    assert list(differences(task)) == []


def test_what_was_not_answered_once_is_not_asked_for_every_item(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "LONGEST", timedelta(seconds=0.2))
    GATE.clear()
    ANSWERS.clear()
    ASKINGS.clear()
    task = start_task("lingering", {"items": 4}, user=operator)
    work.until_idle(task.pk)
    sweep_later(task)
    assert (len(ASKINGS), [data["failures"] for data in looks(task)]) == (1, [1] * 4)
    all_come_back(task, 4)
    assert list(differences(task)) == []


def test_while_one_lasts_its_lease_goes_on(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.TASKBOARD_LEASE_SECONDS = 0.1
    kept: list[int] = []

    def answer() -> str:
        until(lambda: len(kept) > 2)
        return "there"

    assert time_limit.bounded(answer, lambda: kept.append(1)) == "there"


def test_a_fault_of_ours_is_raised_where_it_was_asked() -> None:
    with pytest.raises(ZeroDivisionError):
        time_limit.bounded(lambda: 1 // 0, lambda: None)


def test_one_that_fails_is_asked_less_and_less_often_and_then_a_person(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LOST-01: it is not started for ever."""
    monkeypatch.setattr(lookup, "MOST_FAILURES", 3)
    task = start(operator, "finder", "down")
    for _ in range(3):
        sweep_later(task)
    rows = Checkpoint.objects.filter(task=task, kind="reconcile").order_by("ordinal")
    waits = [datetime.fromisoformat(row.data["again_at"]) - row.at for row in rows]
    assert [data["failures"] for data in looks(task)] == [1, 2, 3]
    assert [round(wait.total_seconds()) for wait in waits] == [30, 60, 120]
    step = Step.objects.get(task=task)
    assert (step.status, len(World().keys())) == ("unknown", 1)
    assert step.error.endswith("the tracker is down (asked 4 times)")
    assert list(differences(task)) == []


def test_an_answer_begins_the_count_anew(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    task = start(operator, "finder", "down")
    Task.objects.filter(pk=task.pk).update(params={"items": 1, "mode": "running"})
    sweep_later(task)
    Task.objects.filter(pk=task.pk).update(params={"items": 1, "mode": "down"})
    sweep_later(task)
    assert [data.get("failures") for data in looks(task)] == [1, None, 1]
