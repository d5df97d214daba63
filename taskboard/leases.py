"""Leases of steps, while somebody else holds the lock that their holders need to renew them."""

import time
from datetime import timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from taskboard.change import Change
from taskboard.models import Step, StepStatus


def lease() -> timedelta:
    return timedelta(seconds=settings.TASKBOARD_LEASE_SECONDS)


def give_time_back(change: Change) -> None:
    """After a long transaction, such as the cancelling of a huge task: whoever waited for its lock is alive and could
    not say so. Leases that were good when it began are so when it ends. On SQLite all tasks have one lock."""
    if time.monotonic() - change.began < lease().total_seconds() / 3:
        return
    held = Step.objects.filter(
        status__in=(StepStatus.STARTED, StepStatus.PENDING), lease_until__gte=change.now
    ).exclude(lease_owner="")
    if connection.vendor != "sqlite":
        held = held.filter(task=change.task)
    held.update(lease_until=timezone.now() + lease())
