"""Kill, start again, and look at everything that must be right afterwards."""

import signal
import sys
from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard.engine import work
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.sweep import sweep
from tests.processes import Process, Processes, until
from tests.workflows import GATE, World

LEASE = {"TASKBOARD_LEASE_SECONDS": "2", "DJANGO_SETTINGS_MODULE": "config.settings"}


def worker(processes: Processes, *arguments: str, **env: str) -> Process:
    """A process of its own that works until it is idle, or until its moment has come."""
    command = arguments or ("work", "--until-idle")
    return processes.start(
        sys.executable, "-m", "tests.crash.worker", *command, name="crash", **{**LEASE, **env}
    )


def celery(processes: Processes, *arguments: str, **env: str) -> Process:
    options = ("-P", "threads", "-c", "4", "-n", f"crash-{len(processes.running)}@test", "--without-gossip")
    command = arguments or ("worker", "-Q", "steps,short", *options, "--without-mingle")
    return processes.start(
        sys.executable,
        "-m",
        "celery",
        "-q",
        "-A",
        "tests.crash.app",
        *command,
        name="celery",
        **{**LEASE, **env},
    )


def age(task: Task) -> None:
    """As old as one that no message announced."""
    Task.objects.filter(pk=task.pk).update(created_at=timezone.now() - timedelta(minutes=1))


def dies(processes: Processes, process: Process, log: str = "crash") -> None:
    process.wait(60)
    assert process.returncode == -signal.SIGKILL, processes.log(log)


def recover(task: Task, seconds: float = 30) -> None:
    """What beat and a new worker do, in this process, until nothing is left to do."""
    GATE.set()

    def settled() -> bool:
        sweep()
        work.until_idle(task.pk)
        task.refresh_from_db()
        return task.is_finished or task.status == "blocked"

    until(settled, seconds, "the end of the task")


def check(task: Task, status: str = "completed") -> None:
    """Effects exactly once, the journal without gaps, counters and money as the rows say."""
    task.refresh_from_db()
    assert task.status == status
    assert list(differences(task)) == []
    assert task.reserved_micro == 0
    ordinals = Checkpoint.objects.filter(task=task).values_list("ordinal", flat=True)
    assert list(ordinals) == list(range(1, task.last_ordinal + 1))
    done = Step.objects.filter(task=task, idempotency_key__isnull=False).exclude(external_id="")
    assert sorted(World().keys()) == sorted(str(step.idempotency_key) for step in done)


def kinds(task: Task, **only: Any) -> list[str]:
    return list(
        Checkpoint.objects.filter(task=task, **only).order_by("ordinal").values_list("kind", flat=True)
    )
