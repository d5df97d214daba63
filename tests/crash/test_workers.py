"""Real worker processes: told to end, stopped for too long, two at once, killed under both brokers."""

import signal
from typing import Any

from taskboard.models import Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash.harness import check, kinds, recover, worker
from tests.processes import Processes, until
from tests.workflows import World


def done(task: Task, name: str) -> int:
    return int(Task.objects.get(pk=task.pk).step_counts.get(name, {}).get("done", 0))


def test_a_worker_told_to_end_finishes_what_runs_and_says_so(processes: Processes, operator: Any) -> None:
    task = start_task("naps", {"items": 40}, user=operator)
    process = worker(processes)
    until(lambda: done(task, "nap"), what="the first result")
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0, processes.log("crash")
    task.refresh_from_db()
    assert task.steps_in("started") == 0
    assert 0 < done(task, "nap") < 40
    assert list(differences(task)) == []
    recover(task)
    check(task)


def test_a_worker_that_wakes_up_after_its_lease_writes_nothing_over_the_others(
    processes: Processes, operator: Any
) -> None:
    """CONC-12: its results are refused by attempt and lease, and journaled."""
    task = start_task("linear", {"items": 1}, user=operator)
    process = worker(processes, CRASH_AT="during the call, after its effect", CRASH_BY="SIGSTOP")
    until(lambda: len(World().keys()) >= 1, what="the stop")
    recover(task, 30)
    check(task)
    processes.kill(process, signal.SIGCONT)
    assert process.wait(30) == 0, processes.log("crash")
    check(task)
    assert "late" in kinds(task)


def test_two_workers_on_one_task_do_each_step_once(processes: Processes, operator: Any) -> None:
    """CONC-01."""
    task = start_task("linear", {"items": 100}, user=operator)
    both = [worker(processes), worker(processes)]
    for process in both:
        assert process.wait(90) == 0, processes.log("crash")
    check(task)
    assert len(World().keys()) == 200
    assert set(Step.objects.filter(task=task).values_list("attempt", flat=True)) == {1}
