"""Counters and money where the steps of one item, or of the whole task, are in different hands."""

import threading
from typing import Any

import pytest

from taskboard import lifecycle, workflow
from taskboard.engine import claim, read, record, work
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import MayStart, Report
from taskboard.engine.record import Ended
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.outcomes import NewItem
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.items import add_items
from taskboard.steering.stop import stop_after
from tests import doubt_workflows, steered_workflows  # noqa: F401 registers them
from tests.background import Background
from tests.deployed_workflows import Asking, Reporting, deployed
from tests.doubt_workflows import ASKED
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def taken(task: Task, by: str, most: int = 1) -> list[Claimed]:
    with lifecycle.changing(task.pk, by) as change:
        return claim.claim(change, workflow.get(task.workflow), by, most)


def test_an_item_whose_first_steps_are_begun_by_two_is_counted_once(operator: Any) -> None:
    task = start_task("forked", {"items": 1}, user=operator)
    assert read.read_items(task.pk, threading.Event())
    (left,) = taken(task, "one/1@1")
    (right,) = taken(task, "two/1@1")
    assert (left.preparing, right.step.status) == (True, "started")
    with lifecycle.changing(task.pk, "one/1@1") as change:
        record.record(change, [Ended(left, Report(MayStart()))], "one/1@1", may_start=True)
    assert fresh(task).item_counts == {"running": 1}


def test_two_workers_hold_no_more_steps_of_a_task_than_it_has_at_once(operator: Any) -> None:
    task = start_task("counting", {"items": 4}, user=operator)
    assert read.read_items(task.pk, threading.Event())
    begun = [taken(task, by, most) for by, most in (("one/1@1", 1), ("two/1@1", 8), ("one/1@1", 1))]
    assert [[one.item.key for one in some] for some in begun] == [["item_001"], ["item_002"], []]
    assert fresh(task).steps_in("started") == 2


def test_a_read_that_is_put_aside_in_the_air_costs_its_estimate_until_it_says(operator: Any) -> None:
    GATE.clear()
    ASKED.clear()
    task = start_task("sided", {"items": 1}, user=operator)
    worker = Background(work.until_idle, task.pk)
    until(lambda: World().keys(), what="the read beside it")
    ASKED.set()
    aside = Step.objects.filter(task=task, name="side", revision=1)
    until(lambda: aside.get().status == "superseded", what="the go-back")
    assert sum(LedgerEntry.objects.values_list("amount_micro", flat=True)) >= 100_000
    GATE.set()
    worker.end()
    until(lambda: Checkpoint.objects.filter(task=task, kind="late").exists(), what="the late result")
    assert (fresh(task).status, fresh(task).spent_micro, fresh(task).reserved_micro) == (
        "completed",
        60_000,
        0,
    )


def test_money_of_a_prepared_step_is_free_when_items_are_added(operator: Any) -> None:
    task = start_task("summing-up", {"items": 1}, user=operator)
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    steer.resume(task, operator)
    assert [one.preparing for one in taken(task, "one/1@1")] == [True]
    assert fresh(task).reserved_micro == 100_000
    add_items(task, [NewItem("item_002")], operator)
    assert fresh(task).reserved_micro == 0
    work.until_idle(task.pk)
    assert (fresh(task).status, len(World().keys())) == ("completed", 1)


def test_money_of_a_prepared_step_is_free_when_a_deploy_puts_it_aside(operator: Any) -> None:
    with deployed(Asking):
        task = start_task("deployed", {"items": 1}, user=operator)
        stop_after(task, operator, step="look")
        work.until_idle(task.pk)
        steer.resume(task, operator)
        assert [one.preparing for one in taken(task, "one/1@1")] == [True]
    with lifecycle.changing(task.pk, "test") as change:
        work.deploys._put_aside(
            change, list(Step.objects.filter(task=task, name="write").select_related("item"))
        )
    assert fresh(task).reserved_micro == 0


def test_a_deploy_may_bring_the_first_step_of_the_whole_task(operator: Any) -> None:
    task = start_task("deployed", {"items": 2}, user=operator)
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    with deployed(Reporting):
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    assert (fresh(task).status, fresh(task).item_counts) == ("completed", {"done": 2})
    assert Step.objects.get(task=task, name="report").summary == "reported"


@pytest.mark.parametrize(("mode", "status"), [("known", "completed"), ("new", "blocked")])
def test_a_step_whose_price_cannot_be_worked_out_is_a_persons_matter(
    operator: Any, mode: str, status: str
) -> None:
    task = start_task("priceless", {"items": 3, "mode": mode}, user=operator, limit_usd="5")
    work.until_idle(task.pk)
    assert fresh(task).status == status
    steps = Step.objects.filter(task=task, name="buy")
    assert steps.count() == 3
    told = "What it would cost cannot be worked out: KeyError('new')"
    assert set(steps.values_list("error", flat=True)) == ({told} if mode == "new" else {""})
