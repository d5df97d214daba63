"""The queue of tasks: so many run at once, the others wait in an order that people may change."""

from django.conf import settings
from django.db import connection

from taskboard import lifecycle
from taskboard.errors import QueueFull
from taskboard.models import Task, TaskStatus

DOOR = 0x7A51_D002
"""The number of the lock on the door, the same for all processes."""


def let_in(task_pk: int) -> bool:
    """Let a task whose items are read run, if there is room and no other one is before it. True if it runs,
    or did so already."""
    if Task.objects.exclude(status=TaskStatus.PENDING).filter(pk=task_pk).exists():
        return True
    with lifecycle.changing(task_pk, "queue") as change:
        task = change.task
        if task.status != TaskStatus.PENDING or task.held or not task.items_read:
            return task.status != TaskStatus.PENDING
        _one_at_a_time()
        if not _is_next(task):
            return False
        lifecycle.move_task(change, TaskStatus.RUNNING)
        return True


def check_room() -> None:
    """Raises QueueFull if as many tasks wait as may wait; the caller adds its task in the same transaction."""
    _one_at_a_time()
    waiting = Task.objects.filter(status=TaskStatus.PENDING).count()
    if waiting >= settings.TASKBOARD_MAX_QUEUED:
        raise QueueFull(
            f"{waiting} tasks are waiting already, which is the limit. Try again when one has started, or take one out."
        )


def _one_at_a_time() -> None:
    """Whoever adds a task or lets one in sees what was added and let in before; to the end of the transaction.
    On SQLite writing transactions follow one another anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [DOOR])


def _is_next(task: Task) -> bool:
    room = settings.TASKBOARD_MAX_RUNNING - Task.objects.filter(status=TaskStatus.RUNNING).count()
    waiting = Task.objects.filter(status=TaskStatus.PENDING, items_read=True, held=False)
    ahead = waiting.filter(queue_position__lt=task.queue_position).count()
    return ahead < room
