"""`kill -9` at every moment of a step's life: nothing lost, nothing doubled."""

from decimal import Decimal
from typing import Any

import pytest

from taskboard.models import Checkpoint, Step, Task
from taskboard.start import start_task
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash.harness import check, dies, kinds, recover, worker
from tests.processes import Processes
from tests.workflows import World

MOMENTS = [
    "before the intent commit",
    "after the intent commit",
    "during the call, before its effect",
    "during the call, after its effect",
    "after the call",
    "after the executed row",
    "after verify",
    "before the result commit",
    "after the result commit",
]
SWEEPING = [
    "during reconcile",
    "during reconcile, between two steps",
    "during resume, at check_and_count",
    "during resume, at ask_outside",
    "during resume, at write_brief",
]


@pytest.fixture
def task(operator: Any) -> Task:
    return start_task("linear", {"items": 3}, user=operator)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_dies(processes: Processes, task: Task, moment: str) -> None:
    """DUP-03, LOST-01, STUCK-02: what was begun is looked up, and every effect is there once."""
    dies(processes, worker(processes, CRASH_AT=moment, CRASH_SKIP="1"))
    recover(task)
    check(task)
    assert len(World().keys()) == 6


@pytest.mark.parametrize("moment", SWEEPING)
def test_a_sweep_that_dies(processes: Processes, task: Task, moment: str) -> None:
    dies(processes, worker(processes, CRASH_AT="after the call", CRASH_SKIP="2"))
    dies(processes, worker(processes, "sweep", CRASH_AT=moment))
    recover(task)
    check(task)


def test_a_reading_that_dies_goes_on_without_doubles(processes: Processes, operator: Any) -> None:
    task = start_task("source", {"items": 1200}, user=operator)
    dies(processes, worker(processes, CRASH_AT="while reading the items", CRASH_SKIP="1"))
    assert Task.objects.get(pk=task.pk).item_counts == {"pending": 1000}
    recover(task, 60)
    check(task)
    assert task.item_counts == {"done": 1200}


def test_the_journal_shows_what_happened_in_between(processes: Processes, task: Task) -> None:
    """VIEW-15: intent, interruption and what was found, in order; nothing removed or renumbered."""
    dies(processes, worker(processes, CRASH_AT="during the call, after its effect"))
    before = list(Checkpoint.objects.filter(task=task).values("ordinal", "kind", "data"))
    recover(task)
    after = list(Checkpoint.objects.filter(task=task).values("ordinal", "kind", "data"))
    assert after[: len(before)] == before
    struck = Checkpoint.objects.filter(task=task, kind="result", step="write", data__found=True).first()
    assert struck is not None
    told = kinds(task, item_key=struck.item_key, step="write")
    assert told == ["intent", "interrupted", "executed", "result"]
    found = Checkpoint.objects.filter(task=task, kind="resume", data__step="ask_outside").first()
    assert found is not None
    assert "Accepted" in str(found.data) or "Finished" in str(found.data)


def test_an_outcome_that_nobody_can_look_up_is_left_to_a_person(processes: Processes, operator: Any) -> None:
    """LOST-01: not repeatable, so it is never run again by itself."""
    task = start_task("blind", {"items": 1}, user=operator)
    dies(processes, worker(processes, CRASH_AT="during the call, after its effect"))
    recover(task)
    assert (task.status, Step.objects.get(task=task).status, len(World().keys())) == ("blocked", "unknown", 1)


def test_money_reserved_by_a_dead_worker_is_released(processes: Processes, operator: Any) -> None:
    task = start_task("dear", {"items": 4}, user=operator, limit_usd="5")
    dies(processes, worker(processes, CRASH_AT="before the result commit"))
    recover(task)
    check(task)
    lost = kinds(task).count("interrupted")
    assert lost
    assert task.spent_usd == Decimal("0.28") + lost * Decimal("0.05")  # of a lost attempt its estimate


def test_a_step_that_kills_its_worker_three_times_is_blocked(processes: Processes, operator: Any) -> None:
    task = start_task("deadly", {"items": 1}, user=operator)
    for _ in range(3):
        dies(processes, worker(processes))
        worker(processes, "sweep").wait(60)
    step = Step.objects.get(task=task)
    assert (step.status, step.deaths) == ("blocked", 3)
    assert step.error == "It killed its worker 3 times."
    check(task, "blocked")
    assert kinds(task, step="die").count("interrupted") == 3
