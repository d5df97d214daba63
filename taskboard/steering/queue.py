"""The order in which waiting tasks are let in, as people want it."""

from collections.abc import Callable

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from taskboard import lifecycle, sentences
from taskboard.errors import WrongState
from taskboard.models import Kind, Task, TaskStatus
from taskboard.rights import require
from taskboard.steering.steer import cancel


def waiting() -> "QuerySet[Task]":
    """The tasks that wait for their turn, the next one first."""
    return Task.objects.filter(status=TaskStatus.PENDING, held=False).order_by("queue_position", "pk")


def move(task: Task, user: AbstractBaseUser, place: int) -> None:
    """Put a waiting task at this place of the queue, 1 being the next."""
    _put(task, user, lambda _here: place)


def shift(task: Task, user: AbstractBaseUser, by: int) -> None:
    """Move a waiting task up (-1) or down (1) from where it stands at this moment."""
    _put(task, user, lambda here: here + by)


def _put(task: Task, user: AbstractBaseUser, place_of: Callable[[int], int]) -> None:
    require(user)
    with transaction.atomic():
        list(waiting().order_by("pk").select_for_update())  # all lock in one order, whatever stands where
        line = list(waiting())
        _check_waiting(task, line)
        others = [one for one in line if one.pk != task.pk]
        place = max(place_of(line.index(task) + 1), 1)
        others.insert(place - 1, task)
        for position, one in enumerate(others, 1):
            Task.objects.filter(pk=one.pk).update(queue_position=position)
        with lifecycle.changing(task.pk, user.get_username()) as change:
            change.record(Kind.PERSON, data={"did": "move in the queue", "place": place})


def remove(task: Task, user: AbstractBaseUser, reason: str = "") -> None:
    """Take a waiting task out, for good: nothing of it has begun."""
    require(user)
    _check_waiting(task, list(waiting()))
    cancel(task, user, reason or sentences.TAKEN_OUT())


def _check_waiting(task: Task, line: list[Task]) -> None:
    if task.pk not in {one.pk for one in line}:
        raise WrongState(_("Task %(task)s does not wait in the queue.") % {"task": task.public_id})
