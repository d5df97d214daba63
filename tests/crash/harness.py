"""Kill, start again, and look at everything that must be right afterwards."""

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from taskboard.engine import work
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.recount import differences
from taskboard.sweep import sweep
from tests.processes import Process, Processes, until
from tests.workflows import GATE, World

LEASE = {"TASKBOARD_LEASE_SECONDS": "2", "DJANGO_SETTINGS_MODULE": "config.settings"}
SHAPES = {
    "threads": ("-P", "threads", "-c", "4"),
    "prefork": ("-P", "prefork", "-c", "2"),
    "one child": ("-P", "prefork", "-c", "1"),
}
_numbers = count(1)


@dataclass(frozen=True)
class Strike:
    """What is to hit a process, and when (see tests.crash.moments); `env` is for that process."""

    moment: str
    by: str = "SIGKILL"
    skip: int = 0
    number: int = field(default_factory=lambda: next(_numbers))

    @property
    def env(self) -> dict[str, str]:
        told = {"AT": self.moment, "BY": self.by, "SKIP": str(self.skip), "ID": str(self.number)}
        return {f"CRASH_{name}": value for name, value in told.items()}

    def victim(self) -> int:
        """The process that was hit; 0 if none was yet."""
        path = Path(settings.TASKBOARD_VAR) / f"struck-{self.number}"
        return int(path.read_text() or 0) if path.exists() else 0


def worker(processes: Processes, *arguments: str, **env: str) -> Process:
    """A process of its own that works until it is idle, or until its moment has come."""
    command = arguments or ("work", "--until-idle")
    struck = {"CRASH_ID": str(next(_numbers))}
    return processes.start(
        sys.executable, "-m", "tests.crash.worker", *command, name="crash", **{**LEASE, **struck, **env}
    )


def celery(processes: Processes, *arguments: str, shape: str = "threads", **env: str) -> Process:
    number = next(_numbers)
    options = (*SHAPES[shape], "-n", f"crash-{number}@test", "--without-gossip", "--without-mingle")
    command = arguments or ("worker", "-Q", "steps,short", *options)
    program = (sys.executable, "-m", "celery", "-q", "-A", "tests.crash.app")
    return processes.start(*program, *command, name="celery", **{**LEASE, "CRASH_ID": str(number), **env})


def beat(processes: Processes, *options: str, **env: str) -> Process:
    return celery(processes, "beat", "--pidfile=", *options, **env)


def age(task: Task) -> None:
    """As old as one that no message announced."""
    Task.objects.filter(pk=task.pk).update(created_at=timezone.now() - timedelta(minutes=1))


def dies(processes: Processes, process: Process, log: str = "crash") -> None:
    process.wait(60)
    assert process.returncode == -signal.SIGKILL, processes.log(log)


def ends(processes: Processes, *running: Process, log: str = "celery") -> None:
    """Each is told to end, and does so in peace."""
    for process in running:
        process.send_signal(signal.SIGTERM)
    for process in running:
        assert process.wait(60) == 0, processes.log(log)


def comes_to(task: Task, *statuses: str, seconds: float = 180) -> None:
    """Others bring the task there."""
    until(lambda: Task.objects.get(pk=task.pk).status in statuses, seconds, f"{' or '.join(statuses)}")


def recover(task: Task, seconds: float = 30) -> None:
    """What beat and a new worker do, in this process, until nothing is left to do."""
    GATE.set()

    def settled() -> bool:
        sweep()
        work.until_idle(task.pk)
        task.refresh_from_db()
        return task.is_finished or task.status == "blocked"

    until(settled, seconds, "the end of the task")


def faults(task: Task, effects: Sequence[str]) -> list[str]:
    """What is wrong with a task at rest; `effects` are the keys of what was truly done outside."""
    found = list(differences(task))
    if task.reserved_micro:
        found.append(f"{task.reserved_micro} micro-USD are still reserved")
    if sum(LedgerEntry.objects.filter(task=task).values_list("amount_micro", flat=True)) != task.spent_micro:
        found.append("the ledger does not add up")
    ours = sorted(key for key in effects if key.startswith(f"{task.public_id}:"))
    found += [f"{key} was done twice" for key, after in pairwise(ours) if key == after]
    done = Step.objects.filter(task=task, status="done").exclude(external_id="")
    told = {str(step.idempotency_key) for step in done if step.idempotency_key}
    open_end = Step.objects.filter(task=task, idempotency_key__in=set(ours) - told)
    surprising = open_end.exclude(status__in=("unknown", "cancelled", "superseded"))
    found += [f"{step.idempotency_key} was done, and is {step.status}" for step in surprising]
    return found + [f"{key} is done, and was not" for key in sorted(told - set(ours))]


def check(task: Task, status: str = "completed") -> None:
    """Effects exactly once, the journal without gaps, counters and money as the rows say."""
    task.refresh_from_db()
    assert task.status == status
    assert faults(task, World().keys()) == []
    done = Step.objects.filter(task=task, idempotency_key__isnull=False).exclude(external_id="")
    assert sorted(World().keys()) == sorted(str(step.idempotency_key) for step in done)


def kinds(task: Task, **only: Any) -> list[str]:
    return list(
        Checkpoint.objects.filter(task=task, **only).order_by("ordinal").values_list("kind", flat=True)
    )
