"""Working out an approval: under a lease, with the money set aside, and never once too often."""

from typing import Any

import pytest

from approvals.models import Approval
from taskboard.engine import work
from taskboard.models import Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests.background import Background
from tests.effect_workflows import PREPARED
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


def start(user: Any, mode: str, limit: str, items: int = 3) -> Task:
    PREPARED.clear()
    return start_task("costly", {"items": items, "mode": mode}, user=user, limit_usd=limit)


def go_on(task: Task) -> Task:
    work.until_idle(task.pk)
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def test_what_does_not_fit_into_the_budget_is_not_worked_out(operator: Any) -> None:
    task = go_on(start(operator, "", "0.50"))
    assert (task.status, task.reserved_micro, PREPARED) == ("blocked", 0, [])
    assert Approval.objects.get(task=task).step is None
    go_on(task)
    assert PREPARED == []


def test_what_fits_is_worked_out_and_done_once(operator: Any, manager: Any) -> None:
    task = go_on(start(operator, "", "2.00"))
    assert len(World().keys()) == len(PREPARED) == 3  # nothing was charged, so the money serves again
    assert (task.status, task.reserved_micro) == ("completed", 0)


def test_while_a_person_is_asked_the_money_is_free(operator: Any) -> None:
    task = go_on(start(operator, "ask", "1.00"))
    assert task.step_counts["pay"] == {"waiting_approval": 3}
    assert (task.status, task.reserved_micro, sorted(PREPARED)) == (
        "waiting", 0, ["item_001", "item_002", "item_003"],
    )  # fmt: skip


def test_what_was_prepared_does_not_start_after_the_worker_was_told_to_stop(operator: Any) -> None:
    GATE.clear()
    task = start(operator, "gate", "5.00", items=1)
    worker = Background(work.until_idle, task.pk)
    try:
        until(lambda: PREPARED, what="the preparing")
        assert Task.objects.get(pk=task.pk).reserved_micro == 1_000_000
        work.stopping.set()
    finally:
        GATE.set()
        worker.end()
        work.stopping.clear()
    step = Step.objects.get(task=task)
    assert (step.status, step.lease_owner, step.reserved_micro, World().keys()) == ("pending", "", 0, [])
    assert go_on(task).status == "completed"


def test_nothing_is_worked_out_in_a_paused_task(operator: Any) -> None:
    task = start(operator, "ask", "5.00", items=1)
    assert work.read.read_items(task.pk, work.stopping)
    steer.pause(task, operator)
    work.run_task(task.pk)  # its message was on the way
    assert (Task.objects.get(pk=task.pk).step_counts["pay"], PREPARED) == ({"pending": 1}, [])


def test_one_that_is_skipped_while_it_is_worked_out_frees_its_money(operator: Any) -> None:
    GATE.clear()
    task = start(operator, "gate", "5.00", items=1)
    worker = Background(work.until_idle, task.pk)
    try:
        until(lambda: PREPARED, what="the preparing")
        steer.skip_step(Step.objects.get(task=task), operator, "not needed")
    finally:
        GATE.set()
        worker.end()
    done = go_on(task)
    assert (done.step_counts["pay"], done.reserved_micro, World().keys()) == ({"skipped": 1}, 0, [])


def test_what_was_prepared_does_not_start_in_a_paused_task(operator: Any) -> None:
    GATE.clear()
    task = start(operator, "gate", "5.00", items=1)
    worker = Background(work.until_idle, task.pk)
    try:
        until(lambda: PREPARED, what="the preparing")
        steer.pause(task, operator)
    finally:
        GATE.set()
        worker.end()
    assert (go_on(task).status, World().keys()) == ("paused", [])
    assert Task.objects.get(pk=task.pk).reserved_micro == 0
