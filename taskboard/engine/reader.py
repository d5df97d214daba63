"""Who reads the source of a task: one at a time, for as long as it truly reads."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.models import Q
from django.utils import timezone

from taskboard.change import Change
from taskboard.engine import owner
from taskboard.errors import LeaseLost
from taskboard.models import Task, TaskStatus

log = logging.getLogger(__name__)

LONGEST_ITEM = timedelta(minutes=10)
"""After this long without an item, a source counts as hung: the lease of its reader is no longer extended."""


def lease() -> timedelta:
    return timedelta(seconds=settings.TASKBOARD_LEASE_SECONDS)


def take(task: Task) -> str:
    """That of a dead process is taken over at once. Returns our name as the reader, empty if another reads."""
    now, me = timezone.now(), owner.one_of_mine()
    free = Q(reader="") | Q(reader_until__lt=now)
    if owner.is_dead(task.reader):
        free |= Q(reader=task.reader)
    unread = Task.objects.filter(free, pk=task.pk, items_read=False)
    return me if unread.update(reader=me, reader_until=now + lease()) else ""


def leave(task: Task, me: str) -> None:
    """Another one may read on."""
    Task.objects.filter(pk=task.pk, reader=me).update(reader="", reader_until=None)


def check_mine(change: Change, me: str) -> None:
    """Raises LeaseLost if another one reads by now, or a person paused or cancelled the task."""
    if change.task.reader != me or change.task.items_read:
        raise LeaseLost("Another worker reads this source now.")
    if change.task.status != TaskStatus.PENDING:
        raise LeaseLost(f"The task is {change.task.get_status_display()}.")


class Progress:
    """When the source gave something last."""

    def __init__(self) -> None:
        self.at = time.monotonic()

    def made(self) -> None:
        self.at = time.monotonic()

    @property
    def hangs(self) -> bool:
        return time.monotonic() - self.at > LONGEST_ITEM.total_seconds()


@contextmanager
def kept(task: Task, me: str) -> Iterator[Progress]:
    """The lease goes on from a thread of its own, however long a single item takes to read."""
    done, progress = threading.Event(), Progress()
    thread = threading.Thread(target=_extend, args=(task, me, done, progress), name="reader", daemon=True)
    thread.start()
    try:
        yield progress
    finally:
        done.set()
        thread.join()


def _extend(task: Task, me: str, done: threading.Event, progress: Progress) -> None:
    try:
        while not done.wait(lease().total_seconds() / 3) and not progress.hangs:
            mine = Task.objects.filter(pk=task.pk, reader=me, items_read=False)
            if not mine.update(reader_until=timezone.now() + lease()):
                return
    except DatabaseError as error:  # the reading itself will meet it too
        log.warning(
            "the reader's lease was not extended", extra={"task": task.public_id, "reason": str(error)}
        )
    finally:
        connections.close_all()
