"""Whoever holds the lock of a task for long takes no lease from workers that waited for it."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from taskboard import lifecycle, workflow
from taskboard.engine import claim, read, reconcile, work
from taskboard.models import Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)
LONG = timedelta(seconds=40)


def started(user: Any) -> Task:
    task = start_task("linear", {"items": 2}, user=user)
    read.read_items(task.pk, work.stopping)
    with lifecycle.changing(task.pk, "worker elsewhere") as change:
        assert claim.claim(change, workflow.get("linear"), "elsewhere/4026531836/1@1", 2)
    return task


def hold_for(task: Task, length: timedelta, *leases: timedelta) -> list[Step]:
    """A transaction that begins so long ago, when the leases of the started steps had so long to go; returns the
    steps that look abandoned when it is over."""
    steps = Step.objects.filter(task=task, status="started").order_by("pk")
    with lifecycle.changing(task.pk, "test") as change:
        change.began, change.now = time.monotonic() - length.total_seconds(), timezone.now() - length
        for step, left in zip(steps, leases, strict=True):
            Step.objects.filter(pk=step.pk).update(lease_until=change.now + left)
    return reconcile.abandoned(timezone.now(), task.pk)


def test_a_lease_that_ran_out_meanwhile_could_not_be_renewed_and_goes_on(operator: Any) -> None:
    task = started(operator)
    first = Step.objects.filter(task=task).first()
    left = hold_for(task, LONG, timedelta(seconds=20), timedelta(seconds=-1))
    assert first not in left
    assert len(left) == 1  # that one had run out before


def test_a_short_transaction_prolongs_nothing(operator: Any) -> None:
    task = started(operator)
    with CaptureQueriesContext(connection) as captured:
        assert len(hold_for(task, timedelta(seconds=1), *[timedelta(milliseconds=500)] * 2)) == 2
    assert len([one for one in captured if "lease_until" in one["sql"] and "UPDATE" in one["sql"]]) == 2


def test_cancelling_takes_no_more_statements_for_more_items(operator: Any) -> None:
    def statements(items: int) -> int:
        task = make_task()
        for status in ("pending", "started", "unknown", "blocked", "done"):
            for _ in range(items):
                item = make_item(task, status="done" if status == "done" else "running")
                make_step(item, "look", status=status, executed_at=timezone.now())
        with CaptureQueriesContext(connection) as captured:
            steer.cancel(task, operator, "enough")
        task.refresh_from_db()
        assert task.item_counts == {"done": items, "cancelled": 4 * items}
        assert task.step_counts["look"] == {"done": items, "cancelled": 4 * items}
        assert not [one for one in differences(task) if "counter" in one]
        return len(captured)

    statements(1)  # asks for the rights of the person, once
    assert statements(2) == statements(4)
