"""What a task keeps grows with its steps, not with their square."""

import json
from typing import Any

import pytest

from taskboard.engine import work
from taskboard.models import Checkpoint, Step, Task
from taskboard.start import start_task
from tests import workflows  # noqa: F401 registers them

pytestmark = pytest.mark.django_db(transaction=True)


def size(user: Any, items: int) -> int:
    task = start_task("linear", {"items": items}, user=user)
    Task.objects.filter(pk=task.pk).update(params={"items": items, "context": "x" * 100_000})
    work.until_idle(task.pk)
    rows = [*Checkpoint.objects.filter(task=task).values(), *Step.objects.filter(task=task).values()]
    return len(json.dumps(rows, default=str))


def test_the_size_grows_in_a_straight_line(operator: Any) -> None:
    """PERF-08: a context of 100 kB is not copied into each checkpoint."""
    few, many = size(operator, 10), size(operator, 40)
    assert many < 4.5 * few
    assert many < 3 * 100_000
