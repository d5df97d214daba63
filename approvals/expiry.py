"""Questions whose time is over."""

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser

from approvals import decisions, trail
from approvals.models import Approval
from approvals.rules import Doing
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


def close(approval_id: int, user: AbstractBaseUser) -> bool:
    """For people, where no sweep closes what is overdue: here and now, as its policy says."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval = trail.read(approval_id)
        trail.allowed(change, approval, user.pk, Doing.CLOSE)
        return decisions.expire(change, approval)


def _expire(approval_pk: int, task_pk: int, now: datetime) -> bool:
    with changing(task_pk, ACTOR) as change:
        approval = Approval.objects.overdue(now).select_related("task", "step").filter(pk=approval_pk).first()
        return approval is not None and decisions.expire(change, approval)
