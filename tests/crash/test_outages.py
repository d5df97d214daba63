"""The broker and the database go away under load; the workers stay, and the work goes on."""

import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from taskboard.models import Task
from taskboard.start import start_task
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash.harness import age, celery, check
from tests.environment import missing
from tests.processes import Process, Processes, answers, free_port, until

pytestmark = pytest.mark.slow


def done(task: Task) -> int:
    return Task.objects.get(pk=task.pk).steps_in("done")


def redis(processes: Processes, port: int, folder: Path) -> Process:
    server = shutil.which("redis-server")
    if server is None:
        missing("redis-server")
    process = processes.start(
        str(server), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder, name="redis"
    )
    until(lambda: answers(port), what="the start of redis")
    return process


def test_a_broker_that_restarts_under_load_neither_loses_nor_doubles(
    processes: Processes, operator: Any, tmp_path: Path
) -> None:
    """STUCK-01, LOST-03: it forgets everything three times."""
    port = free_port()
    env = {"CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0", "TASKBOARD_SLICE_SECONDS": "1"}
    server = redis(processes, port, tmp_path)
    task = start_task("naps", {"items": 100}, user=operator)
    age(task)
    worker, beat = celery(processes, **env), celery(processes, "beat", "--pidfile=", **env)
    for goal in (10, 20, 30):
        until(lambda goal=goal: done(task) >= goal, 60, "some work")
        processes.kill(server)
        server = redis(processes, port, tmp_path)
    until(lambda: Task.objects.get(pk=task.pk).is_finished, 90, "the end of the task")
    check(task)
    assert (worker.poll(), beat.poll()) == (None, None)


def test_a_database_that_ends_all_connections_is_worked_with_again(
    processes: Processes, operator: Any
) -> None:
    """STUCK-11: what a restart of PostgreSQL does to a worker, between intent and result and when idle."""
    if connection.vendor != "postgresql":
        pytest.skip("only a server can end connections")
    task = start_task("naps", {"items": 60}, user=operator)
    age(task)
    worker, beat = celery(processes), celery(processes, "beat", "--pidfile=")
    for goal in (5, 20, 60):
        until(lambda goal=goal: done(task) >= goal, 90, "some work")
        end_all_others()
    until(lambda: Task.objects.get(pk=task.pk).is_finished, 60, "the end of the task")
    check(task)
    again = start_task("naps", {"items": 3}, user=operator)
    age(again)
    until(lambda: Task.objects.get(pk=again.pk).is_finished, 60, "the next task")
    assert (worker.poll(), beat.poll()) == (None, None)
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0


def end_all_others() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
