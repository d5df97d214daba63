"""Two workers at full speed, and people who want something at the same time."""

import time
from typing import Any

from approvals import decisions
from approvals.models import Approval
from taskboard.engine import work
from taskboard.models import Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import odd_workflows  # noqa: F401 registers them
from tests.crash.harness import worker
from tests.processes import Processes, until

DECISIONS = 15


def test_nobody_ever_sees_a_locked_database(processes: Processes, operator: Any, manager: Any) -> None:
    """CONC-02: decisions, sweeps and starts beside two busy workers; no error, nothing lost."""
    asking = start_task("asking", {"items": DECISIONS}, user=operator)
    work.until_idle(asking.pk)
    busy = start_task("linear", {"items": 150}, user=operator)
    workers = [worker(processes), worker(processes)]
    until(lambda: Task.objects.get(pk=busy.pk).steps_in("done"), what="the first result")
    longest = 0.0
    for asked in Approval.objects.filter(task=asking):
        began = time.monotonic()
        decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)
        longest = max(longest, time.monotonic() - began)
        sweep()
    for process in workers:
        assert process.wait(90) == 0, processes.log("crash")
    sweep()
    work.until_idle()
    for task in (asking, busy):
        task.refresh_from_db()
        assert (task.status, list(differences(task))) == ("completed", [])
    assert longest < 15
