"""Workers and sweeps that are killed at any moment, again and again."""

import os
import random
import signal
import time
from typing import Any

import pytest

from taskboard.models import Step, Task
from taskboard.start import start_task
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash.harness import check, recover, worker
from tests.processes import Processes
from tests.workflows import World

KILLS = int(os.environ.get("TASKBOARD_TEST_KILLS", "4"))
SEED = int(os.environ.get("TASKBOARD_TEST_SEED", "1"))


@pytest.mark.parametrize("workflow", ["linear", "rework"])
def test_whatever_is_killed_whenever(processes: Processes, operator: Any, workflow: str) -> None:
    """CONC-01, DUP-03, STUCK-02: two workers and a sweep, one of them killed at a time."""
    dice = random.Random(SEED)  # noqa: S311 a game of chance that can be played again
    task = start_task(workflow, {"items": 60, "mode": "1"}, user=operator)
    running = [worker(processes), worker(processes)]
    for _ in range(KILLS):
        time.sleep(dice.uniform(0.1, 0.9))
        number = dice.randrange(len(running))
        if running[number].poll() is None:
            running[number].send_signal(signal.SIGKILL)
            running[number].wait(10)
        sweep = worker(processes, "sweep")
        if dice.random() < 0.3:
            time.sleep(dice.uniform(0.3, 0.9))
            sweep.kill()
        sweep.wait(30)
        running[number] = worker(processes)
    recover(task, 60)
    for process in running:
        process.wait(30)
    recover(task, 60)
    assert not Step.objects.filter(task=task, status="started").exists()
    check_effects(task)


def check_effects(task: Task) -> None:
    if task.workflow == "linear":
        check(task)
    keys = World().keys()
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)
    assert len(keys) == (120 if task.workflow == "linear" else 180)
