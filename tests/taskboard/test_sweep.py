"""What no message announced is found from the rows."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import transaction
from django.utils import timezone

from approvals import decisions
from approvals.gate import ApprovalsGate
from approvals.models import Approval
from taskboard import lifecycle
from taskboard.engine import work
from taskboard.leases import lease
from taskboard.models import Checkpoint, Heartbeat, Item, Kind, Step, StepStatus, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import odd_workflows  # noqa: F401 registers them
from tests.factories import make_item, make_step, make_task
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


def messages(task: Task) -> int:
    """How many messages lie there for this task; a thread of an earlier test may still send one of its own."""
    folder = Path(django_settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"])
    told = [json.loads(path.read_text())["headers"] for path in folder.glob("*.msg")]
    return sum(one["argsrepr"] == f"({task.pk},)" and one["task"] == "taskboard.run_task" for one in told)


def test_messages_go_out_after_the_commit_and_never_after_a_rollback(operator: Any) -> None:
    """LOST-04."""
    with transaction.atomic():
        task = start_task("linear", {"items": 1}, user=operator)
        before = messages(task)
    assert messages(task) == before + 1
    with transaction.atomic():
        never = start_task("linear", {"items": 1}, user=operator)
        before = messages(never)
        transaction.set_rollback(True)
    assert messages(never) == before
    assert Task.objects.count() == 1


def test_a_task_that_no_message_announced_is_woken(operator: Any) -> None:
    """LOST-03."""
    task = start_task("linear", {"items": 5}, user=operator)
    before = messages(task)
    assert sweep().woken == 0  # it was announced a moment ago
    later = timezone.now() + timedelta(seconds=10)
    assert sweep(later).woken == 1
    assert messages(task) == before + 1
    work.until_idle(task.pk)
    assert sweep(later).woken == 0


def test_a_task_without_money_is_not_woken() -> None:
    task = make_task(workflow="linear", status="blocked", out_of_budget=True)
    make_step(make_item(task), "look")
    assert sweep().woken == 0
    Task.objects.update(out_of_budget=False)
    assert sweep().woken == 1


def test_each_round_says_that_it_is_alive() -> None:
    sweep()
    assert Heartbeat.objects.get(role="beat").seen_at > timezone.now() - timedelta(minutes=1)


def test_the_second_delivery_of_a_message_finds_nothing_to_do(operator: Any) -> None:
    """DUP-01."""
    task = start_task("linear", {"items": 5}, user=operator)
    for _ in range(3):
        work.run_task(task.pk)
    assert len(World().keys()) == len(set(World().keys())) == 10


def test_a_wait_is_a_time_in_the_database_and_no_message(operator: Any) -> None:
    """DUP-01: nothing is handed to the broker for later."""
    task = start_task("moody", {"items": 1, "mode": "retry"}, user=operator)
    work.until_idle(task.pk)
    act = Step.objects.get(task=task, name="act")
    assert (act.status, act.attempt, len(World().keys())) == ("done", 3, 1)
    due = Checkpoint.objects.filter(task=task, kind="retry").values_list("data__due_at", flat=True)
    assert (len(due), all(due)) == (2, True)


def test_all_abandoned_steps_are_settled_in_one_round() -> None:
    """LOST-11: 250 of them, none left out."""
    task = make_task(workflow="linear", params={"items": 250})
    with lifecycle.changing(task.pk, "test") as change:
        items = [
            Item(task=task, key=f"item_{n:03}", position=n, status="running", updated_at=change.now)
            for n in range(1, 251)
        ]
        lifecycle.add_items(change, items)
        past = change.now - lease()
        steps = [
            Step(task=task, item=item, name="look", position=item.position, status=StepStatus.STARTED,
                 lease_owner="elsewhere/1/1@1", lease_until=past, attempt=1)
            for item in items
        ]  # fmt: skip
        lifecycle.open_steps(change, steps)
        for item in items:
            change.record(Kind.INTENT, item=item.key, step="look", attempt=1, data={"to": "started"})
    assert sweep().resumed == 1
    task.refresh_from_db()
    assert task.step_counts["look"] == {"pending": 250}
    assert Checkpoint.objects.filter(task=task, kind="interrupted").count() == 250
    assert list(differences(task)) == []


def test_one_task_that_cannot_be_resumed_does_not_keep_the_others_waiting(operator: Any) -> None:
    tasks = [start_task("linear", {"items": 1}, user=operator) for _ in range(2)]
    work.until_idle()
    past = timezone.now() - timedelta(minutes=1)
    for task in tasks:
        with lifecycle.changing(task.pk, "test") as change:
            change.count_step("tell", "done", "started")
            change.set(status="running")
        Step.objects.filter(task=task, name="tell").update(
            status="started", lease_owner="elsewhere/1/1@1", lease_until=past
        )
    Task.objects.filter(pk=tasks[0].pk).update(workflow="gone")
    assert sweep().resumed == 1
    assert Step.objects.get(task=tasks[1], name="tell").status == "done"


def test_a_part_that_fails_does_not_keep_the_others_waiting(
    operator: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    task = start_task("linear", {"items": 1}, user=operator)
    monkeypatch.setattr(ApprovalsGate, "expire", lambda *_: 1 / 0)
    assert sweep(timezone.now() + timedelta(seconds=10)).woken == 1
    assert "failed in the sweep" in caplog.text
    assert task.pk


def test_a_decision_is_resumed_from_the_database(operator: Any, manager: Any) -> None:
    """LOST-05: nobody was there when it was taken."""
    task = start_task("drafting", {"items": 1}, user=operator)
    work.until_idle(task.pk)
    asked = Approval.objects.get(task=task)
    decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)
    assert sweep().decisions == 1
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.status == "completed"
    told = Checkpoint.objects.filter(task=task, kind__in=("asked", "decided", "picked_up"))
    assert [row.kind for row in told] == ["asked", "decided", "picked_up"]


def test_work_before_the_question_is_not_done_again_after_the_answer(operator: Any, manager: Any) -> None:
    """DUP-07."""
    task = start_task("drafting", {"items": 1}, user=operator)
    work.until_idle(task.pk)
    asked = Approval.objects.get(task=task)
    decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)
    sweep()
    work.until_idle(task.pk)
    assert World().texts() == ["draft", "publish"]


def test_a_question_with_characters_that_cannot_be_stored_is_asked_once(operator: Any, manager: Any) -> None:
    """ENC-01: what was approved and what would be done now are compared as they are stored."""
    task = start_task("worried", {"items": 1, "mode": "nul"}, user=operator)
    work.until_idle(task.pk)
    asked = Approval.objects.get(task=task)
    decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)
    sweep()
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, Approval.objects.filter(task=task).count()) == ("completed", 1)


def test_a_look_up_that_goes_on_counts_as_no_restart(operator: Any) -> None:
    """DUP-12."""
    GATE.set()
    task = start_task("finder", {"items": 1, "mode": "running"}, user=operator)
    work.until_idle(task.pk)
    for minutes in (1, 2, 3):
        Step.objects.filter(task=task).update(lease_until=timezone.now() - timedelta(minutes=minutes))
        assert sweep().resumed == 1
    step = Step.objects.get(task=task)
    assert (step.status, step.deaths, step.failures, len(World().keys())) == ("started", 0, 0, 1)
    assert Task.objects.get(pk=task.pk).restart_count == 0
