"""Rows for the bench of the pages: tasks of many items in all states, with journal; and thousands of tasks."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from taskboard.models import Checkpoint, Item, Kind, Step, Task

STEPS = ("diagnose", "create_ticket", "notify", "apply_fix")
AT_ONCE = 2000
COST = 20_000


def make_task(items: int) -> Task:
    """Seven of ten items are done, the others failed, wait, run or were not begun."""
    task = Task.objects.create(**_columns(f"task_bench_{items}", "running"))
    for first in range(0, items, AT_ONCE):
        _fill(task, range(first, min(first + AT_ONCE, items)))
    _count(task)
    _analyze()
    return task


def make_tasks(number: int) -> None:
    """Tasks without items, in every status."""
    statuses = ("completed", "completed", "running", "waiting", "paused", "failed", "cancelled", "blocked")
    counts = {"items": {"done": 180, "failed": 20}, "steps": {name: {"done": 180} for name in STEPS}}
    rows = [
        Task(**_columns(f"task_many_{place}", statuses[place % len(statuses)]) | {"counts": counts})
        for place in range(number)
    ]
    Task.objects.bulk_create(rows, batch_size=500)
    _analyze()


def _columns(public_id: str, status: str) -> dict[str, Any]:
    now = timezone.now()
    return {
        "public_id": public_id, "workflow": "seo-audit", "goal": f"Audit {public_id}", "status": status,
        "params": {"source": "sample", "price_per_page": "0.02"}, "created_by_name": "ops", "items_read": True,
        "created_at": now, "updated_at": now, "started_at": now, "limit_micro": 5_000_000_000,
        "plan": ["Read the site.", "Open tickets.", "Tell the owners.", "Mend titles.", "Write the report."],
    }  # fmt: skip


def _shape(number: int) -> tuple[str, list[str]]:
    """The status of an item, and those of the steps that it has reached."""
    kind = number % 10
    if kind < 7:
        return "done", ["done", "done", "done", "skipped" if number % 3 else "done"]
    if kind == 7:
        return "failed", ["done", "failed"]
    if kind == 8:
        return "waiting_approval", ["done", "done", "done", "waiting_approval"]
    return ("running", ["done", "started"]) if number % 20 == 9 else ("pending", ["pending"])


def _fill(task: Task, numbers: range) -> None:
    now = timezone.now()
    items = [
        Item(
            task=task, key=f"page_{number:06}.html", label=f"Page {number}", position=number + 1,
            status=_shape(number)[0], updated_at=now - timedelta(seconds=number % 5000),
            cost_micro=COST + number % 977,
        )
        for number in numbers
    ]  # fmt: skip
    Item.objects.bulk_create(items)
    Step.objects.bulk_create(step for item in items for step in _steps(task, item))
    Checkpoint.objects.bulk_create(_journal(task, items))


def _steps(task: Task, item: Item) -> Iterator[Step]:
    for name, status in zip(STEPS, _shape(item.position - 1)[1], strict=False):
        yield Step(
            task=task, item=item, name=name, position=item.position, status=status, attempt=1,
            summary="Missing description" if status == "done" else "",
            error="The tracker did not answer." if status == "failed" else "",
            error_class="Timeout" if status == "failed" else "",
            cost_micro=COST if name == "diagnose" else 0,
        )  # fmt: skip


def _journal(task: Task, items: list[Item]) -> Iterator[Checkpoint]:
    for item in items:
        for kind in (Kind.INTENT, Kind.RESULT):
            task.last_ordinal += 1
            yield Checkpoint(
                task=task, ordinal=task.last_ordinal, at=timezone.now(), kind=kind, item_key=item.key,
                step="diagnose", attempt=1, actor="worker bench", data={"to": "done"},
            )  # fmt: skip


def _count(task: Task) -> None:
    items, steps = Item.objects.filter(task=task), Step.objects.filter(task=task)
    per: dict[str, Counter[str]] = {name: Counter() for name in STEPS}
    for name, status in steps.values_list("name", "status").iterator():
        per[name][status] += 1
    task.counts = {
        "items": dict(Counter(items.values_list("status", flat=True))),
        "steps": {name: dict(counts) for name, counts in per.items()},
        "costs": {"diagnose": COST * sum(per["diagnose"].values())},
    }
    task.spent_micro, task.restart_count = task.step_costs["diagnose"], 1
    task.save(update_fields=["counts", "spent_micro", "restart_count", "last_ordinal"])


def _analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
