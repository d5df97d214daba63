"""Questions whose time is over."""

from datetime import datetime

from approvals import decisions
from approvals.models import Approval
from taskboard.lifecycle import changing
from taskboard.models import Task

ACTOR = "taskboard"


def expire_overdue(now: datetime, task: Task | None = None, batch: int = 100) -> int:
    """Close all that are overdue at `now`, a few at a time; returns how many."""
    overdue = Approval.objects.overdue(now)
    if task is not None:
        overdue = overdue.filter(task=task)
    count, last = 0, 0
    while found := list(overdue.order_by("pk").filter(pk__gt=last).values_list("pk", "task_id")[:batch]):
        count += sum(_expire(pk, task_pk, now) for pk, task_pk in found)
        last = found[-1][0]
    return count


def _expire(approval_pk: int, task_pk: int, now: datetime) -> bool:
    with changing(task_pk, ACTOR) as change:
        approval = Approval.objects.overdue(now).select_related("task", "step").filter(pk=approval_pk).first()
        return approval is not None and decisions.expire(change, approval)
