"""Results share transactions, and none waits for what runs on: structure, not time."""

from typing import Any

import pytest

from taskboard.engine import pool, work
from taskboard.models import Step, Task
from taskboard.start import start_task
from tests import outage_workflows  # noqa: F401 registers them
from tests.background import Background
from tests.processes import until
from tests.workflows import GATE

pytestmark = pytest.mark.django_db(transaction=True)
MOST_SECONDS = 0.05


class Watched(pool.Reports[Any]):
    """Tells how long what is there already is let wait for more."""

    held: list[float] = []

    def wait(self, wanted: int, seconds: float) -> None:
        if 0 < len(self) < wanted:
            self.held.append(seconds)
        super().wait(wanted, seconds)

    def take(self) -> list[Any]:
        taken = super().take()
        if taken:
            self.held.append(0)
        return taken


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait behind a report; a 0 each time that reports were taken."""
    monkeypatch.setattr(work, "Reports", Watched)
    monkeypatch.setattr(Watched, "held", [])
    return Watched.held


def test_a_result_is_committed_while_the_other_steps_of_its_batch_run_on(operator: Any) -> None:
    GATE.clear()
    task = start_task("phoning", {"items": 3, "mode": "first"}, user=operator)
    worker = Background(work.until_idle, task.pk)
    until(lambda: Step.objects.filter(task=task, name="note", status="done").exists(), what="its next step")
    others = Step.objects.filter(task=task, name="call").exclude(item__position=1)
    assert set(others.values_list("status", "attempt")) == {("started", 1)}
    GATE.set()
    worker.end()
    assert Task.objects.get(pk=task.pk).status == "completed"


def test_one_that_is_there_waits_for_others_once_and_for_less_than_the_bar(
    operator: Any, watched: list[float]
) -> None:
    GATE.set()
    task = start_task("phoning", {"items": 20}, user=operator)
    work.until_idle(task.pk)
    batches = "".join("." if seconds else "|" for seconds in watched).split("|")
    assert len(batches) > 1
    assert max(map(len, batches)) == 1
    assert max(watched) <= MOST_SECONDS
