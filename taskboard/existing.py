"""Starting work that exists: none, in progress, untouched for long, or finished."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from taskboard import secret_params, workflow
from taskboard.cleaning import Cleaner
from taskboard.models import Task, TaskStatus
from taskboard.models.task import FINISHED_TASKS, OPEN_TASKS
from taskboard.steering import steer

LONG = timedelta(days=3)
"""After this long without anything happening, a task is not taken for granted to go on."""
NEWEST = 1000
"""At most this many finished tasks of a workflow are compared."""
STOPPED = (TaskStatus.PAUSED, TaskStatus.BLOCKED)


class Answer(StrEnum):
    """What there is to say about work that someone wants to start."""

    NONE = "none"
    "There is no such task: start one."
    IN_PROGRESS = "in progress"
    "It goes on; continue it instead of starting it twice."
    UNTOUCHED = "untouched"
    "It was left long ago: continue it, or start anew."
    FINISHED = "finished"
    "It was done: look at it, or start anew."


@dataclass(frozen=True)
class Existing:
    """The answer, and the task that it is about."""

    answer: Answer
    task: Task | None = None

    @property
    def may_start_anew(self) -> bool:
        """Whether the same work may be started once more beside it."""
        return self.answer in (Answer.UNTOUCHED, Answer.FINISHED)

    @property
    def sentence(self) -> str:
        """The answer for the person who wants to start it."""
        task = self.task
        if task is None:
            return _("There is no task for this yet.")
        told = {"task": task.public_id, "status": task.get_status_display(), "name": task.created_by_name}
        if self.answer == Answer.FINISHED:
            day = task.finished_at or task.updated_at
            return _("Task %(task)s did this already: %(status)s on %(day)s.") % {
                **told,
                "day": f"{localtime(day):%Y-%m-%d}",
            }
        if self.answer == Answer.UNTOUCHED:
            told["day"] = f"{localtime(task.updated_at):%Y-%m-%d}"
            return _("Task %(task)s of %(name)s is at this: %(status)s, untouched since %(day)s.") % told
        return _("Task %(task)s of %(name)s is at this already: %(status)s.") % told


def look(workflow_name: str, params: Mapping[str, Any], now: datetime) -> Existing:
    """The newest task of the same workflow with the same parameters; one that is not finished goes first.
    Raises BadInput if the parameters are none."""
    spec = workflow.get(workflow_name)
    wanted = Cleaner().json(secret_params.public(spec, spec.clean(params)))
    task = _same(workflow_name, wanted, OPEN_TASKS) or _same(
        workflow_name, wanted, (TaskStatus.COMPLETED, TaskStatus.FAILED)
    )
    if task is None:
        return Existing(Answer.NONE)
    if task.status in FINISHED_TASKS:
        return Existing(Answer.FINISHED, task)
    return Existing(Answer.UNTOUCHED if now - task.updated_at > LONG else Answer.IN_PROGRESS, task)


def go_on(task: Task, user: AbstractBaseUser, now: datetime) -> bool:
    """Continue a task that exists: one that stands still is resumed; False if it goes on by itself."""
    if task.is_finished or not (task.held or task.status in STOPPED or now - task.updated_at > LONG):
        return False
    steer.resume(task, user)
    return True


def _same(workflow_name: str, params: Mapping[str, Any], statuses: tuple[str, ...]) -> Task | None:
    """JSON is compared here: the two databases do not agree on what makes two documents equal."""
    tasks = Task.objects.filter(workflow=workflow_name, status__in=statuses).order_by("-pk")
    spec = workflow.get(workflow_name)
    newest = tasks.values_list("pk", "params")[:NEWEST]
    same = (pk for pk, told in newest if secret_params.public(spec, told) == params)
    found = next(same, None)
    return None if found is None else Task.objects.get(pk=found)
