"""Real workers and a freeze: what is in flight ends or is looked up, nothing more is begun, nothing is doubled."""

from typing import Any

from taskboard import freeze
from taskboard.models import Task
from taskboard.start import start_task
from tests import frozen_workflows  # noqa: F401 registers them
from tests.crash.harness import age, beat, celery, check, comes_to, ends, faults, recover, worker
from tests.processes import Processes, until
from tests.workflows import World


def sent() -> int:
    return len(World().keys())


def test_a_worker_killed_while_it_is_frozen(processes: Processes, operator: Any, admin: Any) -> None:
    """What it had in the air is looked up meanwhile, which is reading; the rest waits for the thaw."""
    task = start_task("outside-slowly", {"items": 30}, user=operator)
    first = worker(processes)
    until(lambda: sent() >= 2, 60, "the first effects")
    freeze.freeze("desk", operator, "It is moved")
    processes.kill(first)
    before = sent()
    second = worker(processes)
    assert second.wait(60) == 0, processes.log("crash")
    assert sent() == before < 30
    freeze.thaw("desk", admin)
    recover(task, 60)
    check(task)
    assert sent() == 30


def test_celery_workers_begin_nothing_until_the_thaw(processes: Processes, operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    tasks = [start_task("outside-slowly", {"items": 3}, user=operator) for _number in range(2)]
    for task in tasks:
        age(task)
    first, running = celery(processes), [celery(processes), beat(processes)]
    for task in tasks:
        comes_to(task, "waiting")
    processes.kill(first)
    assert Task.objects.filter(frozen_systems="desk", status="waiting").count() == 2
    assert sent() == 0
    freeze.thaw("desk", admin)
    for task in tasks:
        comes_to(task, "completed")
        assert faults(Task.objects.get(pk=task.pk), World().keys()) == []
    assert sent() == 6
    ends(processes, *running)
