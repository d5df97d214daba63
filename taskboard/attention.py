"""What needs a person, across all tasks: unknown outcomes, blocked items, failures by their cause."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, Max, Min, QuerySet

from taskboard.models import Step, StepStatus, Task, TaskStatus

MOST = 100


@dataclass(frozen=True)
class Attention:
    """The lists, each at most `MOST` long, with how many there are in all."""

    unknown: Sequence[Step]
    unknown_count: int
    blocked: Sequence[Step]
    blocked_count: int
    failures: Sequence[dict[str, Any]]
    failure_count: int

    @property
    def is_empty(self) -> bool:
        return not (self.unknown or self.blocked or self.failures)


def look(user: AbstractBaseUser | AnonymousUser) -> Attention:
    """Five queries, however much there is."""
    steps = _steps(user)
    counts = steps.values("status").annotate(count=Count("id")).order_by("status")
    number = {row["status"]: row["count"] for row in counts}
    return Attention(
        _oldest(steps, StepStatus.UNKNOWN), number.get(StepStatus.UNKNOWN, 0),
        _oldest(steps, StepStatus.BLOCKED), number.get(StepStatus.BLOCKED, 0),
        _by_cause(steps), number.get(StepStatus.FAILED, 0),
    )  # fmt: skip


def _steps(user: AbstractBaseUser | AnonymousUser) -> "QuerySet[Step]":
    needy = (StepStatus.UNKNOWN, StepStatus.BLOCKED, StepStatus.FAILED)
    tasks = Task.objects.visible_to(user).exclude(status=TaskStatus.CANCELLED)
    return Step.objects.filter(status__in=needy, task__in=tasks)


def _oldest(steps: "QuerySet[Step]", status: StepStatus) -> list[Step]:
    found = steps.filter(status=status).select_related("item", "task").order_by("started_at", "pk")
    return list(found[:MOST])


def _by_cause(steps: "QuerySet[Step]") -> list[dict[str, Any]]:
    """One line per task, step and class of error, those with the most steps first."""
    failed = steps.filter(status=StepStatus.FAILED)
    groups = failed.values("task__public_id", "task__goal", "task__workflow", "name", "error_class").annotate(
        count=Count("id"), latest=Max("finished_at"), first=Min("finished_at"), example=Max("error"),
        example_key=Max("item__key"),
    )  # fmt: skip
    return list(groups.order_by("-count", "-latest", "name")[:MOST])
