"""Rows for tests: `make_…(**over)`, each with believable values where none are given."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from approvals.models import Approval
from taskboard import lifecycle
from taskboard.gates import gate
from taskboard.models import Item, ItemStatus, Kind, Step, StepStatus, Task, TaskStatus
from taskboard.outcomes import Ask, Policy
from tests import workflows  # noqa: F401 registers the zoo

NOW = datetime(2026, 9, 17, 9, 0, tzinfo=UTC)
_numbers = count(1)


def make_task(**over: Any) -> Task:
    """A running task without items, with its first journal row."""
    number = next(_numbers)
    values = {
        "public_id": f"task_20260917_{number:04d}",
        "workflow": "zoo",
        "goal": f"Audit site {number}",
        "status": TaskStatus.RUNNING,
        "created_by_name": over["created_by"].get_username() if over.get("created_by") else "ops",
        "created_at": NOW,
        "updated_at": NOW,
        "started_at": NOW,
        "items_read": True,
    }
    task = Task.objects.create(**{**values, **over})
    with lifecycle.changing(task.pk, task.created_by_name) as change:
        change.record(Kind.CREATED, data={"goal": task.goal})
    task.refresh_from_db()
    return task


def make_finished_task(**over: Any) -> Task:
    """A completed task whose keeping time is over."""
    ended = {"finished_at": NOW, "expires_at": NOW + timedelta(hours=1), "keep_for": timedelta(hours=1)}
    return make_task(**{"status": TaskStatus.COMPLETED, **ended, **over})


def make_item(task: Task, key: str = "", **over: Any) -> Item:
    """An item of that task, counted; the status of the task stays as it is."""
    position = over.pop("position", Item.objects.filter(task=task).count() + 1)
    values = {"status": ItemStatus.PENDING, "stage": "", "updated_at": NOW, "label": ""}
    item = Item(task=task, key=key or f"page_{position:03d}", position=position, **{**values, **over})
    with lifecycle.changing(task.pk, "test") as change:
        lifecycle.add_items(change, [item])
        change.touched = False
    task.refresh_from_db()
    return item


def make_step(item: Item, name: str = "diagnose", **over: Any) -> Step:
    """A step of that item, counted; the status of the task stays as it is."""
    values = {"status": StepStatus.PENDING, "position": item.position}
    step = Step(task=item.task, item=item, name=name, **{**values, **over})
    with lifecycle.changing(item.task_id, "test") as change:
        lifecycle.open_steps(change, [step])
        change.touched = False
    item.task.refresh_from_db()
    return Step.objects.get(item=item, name=name, revision=step.revision)


def make_asking_step(task: Task | None = None, **over: Any) -> Step:
    """A step of the workflow `asking` that waits for a person, in a task that waits with it."""
    task = task or make_task(workflow="asking", status=TaskStatus.WAITING, **over)
    item = make_item(task, status=ItemStatus.WAITING_APPROVAL, stage="pay")
    make_step(item, "look", status=StepStatus.DONE)
    return make_step(item, "pay", status=StepStatus.WAITING_APPROVAL)


def make_approval(step: Step | None = None, policy: Policy | None = None, **over: Any) -> Approval:
    """An open question, asked the way a workflow asks it."""
    step = step or make_asking_step(created_by=over.pop("created_by", None))
    key = step.item.key
    told = {
        "action": f"Pay 100 to {key}",
        "payload": {"pay": 100, "to": key},
        "consequence": "Money leaves the account",
        "policy": policy or Policy(),
    }
    with lifecycle.changing(step.task_id, "test") as change:
        gate().ask(change, step, key, Ask(**{**told, **over}))
    return Approval.objects.get(step=step, status="open")
