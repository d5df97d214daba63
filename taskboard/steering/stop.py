"""Telling a task where to stop."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import hints, lifecycle, workflow
from taskboard.errors import BadInput, WrongState
from taskboard.models import Kind, Task
from taskboard.rights import require, require_steerable


def stop_after(task: Task, user: AbstractBaseUser, *, step: str = "", items: int = 0) -> None:
    """No step behind `step` is begun, or no new item once `items` of them are; then the task is paused.
    With neither, it goes on to its end."""
    require(user)
    stop = _checked(task, step, items)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        if change.task.is_finished:
            raise WrongState(_("The task is finished; there is nothing to stop."))
        change.set(stop_after={**stop, "by": user.get_username()} if stop else {})
        change.record(Kind.PERSON, data={"did": "stop after", **stop})
        change.touched = True
    hints.soon("taskboard.run_task", task.pk, queue="short")


def _checked(task: Task, step: str, items: int) -> dict[str, str | int]:
    if step and items:
        raise BadInput(_("Name a step or a number of items, not both."))
    names = list(workflow.get(task.workflow).steps)
    if step and step not in names:
        raise BadInput(
            _("There is no step %(step)r; the steps are: %(names)s.")
            % {"step": step, "names": ", ".join(names)}
        )
    if items < 0:
        raise BadInput(_("The number of items is 1 or more."))
    return {"step": step} if step else {"items": items} if items else {}
