"""What people do to a task: pause, resume, cancel, try again, skip, change the budget."""

from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import audit, budget, hints, lifecycle, sentences
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.engine import effects
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.models import Kind, Step, StepStatus, Task, TaskStatus
from taskboard.money import to_micro, to_usd
from taskboard.resume.run import resume_task
from taskboard.rights import BUDGET, require, said
from taskboard.steering.step_move import locked, move

S = StepStatus
RETRYABLE = (S.FAILED, S.BLOCKED, S.REJECTED, S.SKIPPED)
SKIPPABLE = (S.PENDING, S.WAITING_APPROVAL, S.BLOCKED, S.FAILED)


def pause(task: Task, user: AbstractBaseUser) -> None:
    """Nothing more is claimed; what is started is finished and written."""
    require(user)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        going_on = change.task.steps_in(S.STARTED)
        lifecycle.move_task(change, TaskStatus.PAUSED)
        change.record(Kind.PERSON, data={"did": "pause", "still_finishing": going_on})


def resume(task: Task, user: AbstractBaseUser, *, accept_version: bool = False) -> None:
    """The eight steps; also ends a pause and lets an imported task go. `accept_version`: with the workflow as
    a deploy has changed it."""
    require(user)
    resume_task(task, user.get_username(), accept_version=accept_version)


def cancel(task: Task, user: AbstractBaseUser, reason: str = "") -> None:
    """For good: open steps and questions end; what a worker still reports is only journaled."""
    require(user)
    reason = clean_text(reason, 2000)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        withdrawn = gate().withdraw(change, None, reason or sentences.CANCELLED())
        _settle_money(change)
        effects.release_those_of(task)
        steps = lifecycle.cancel_open(change, reason)
        change.set(reserved_micro=0, held=False)
        lifecycle.move_task(change, TaskStatus.CANCELLED, reason)
        data = {"did": "cancel", "reason": reason, "steps": steps, "questions_withdrawn": withdrawn}
        change.record(Kind.PERSON, data=data)


def _settle_money(change: Change) -> None:
    """What is in the air may never report its cost; if it still does, that takes the estimate's place."""
    begun = Step.objects.filter(task=change.task, status=S.STARTED).select_related("item")
    for step in begun:
        budget.settle_lost(change, step, step.item)


def retry_step(step: Step, user: AbstractBaseUser) -> None:
    """Make a step that gave up claimable again; it keeps its idempotency key."""
    require(user)
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = locked(step, RETRYABLE, _("Step %(step)s is “%(status)s”; it cannot be tried again."))
        fields = {"failures": 0, "deaths": 0, "error": "", "error_class": ""}
        move(change, current, S.PENDING, fields, "retry")


def skip_step(step: Step, user: AbstractBaseUser, reason: str) -> None:
    """Do without this step; the item goes on behind it."""
    require(user)
    reason = said(reason, _("Say why the step is not needed; the journal keeps it."))
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = locked(step, SKIPPABLE, _("Step %(step)s is “%(status)s”; it cannot be skipped."))
        gate().withdraw(change, [current.pk], reason)
        if current.error_class != effects.GIVEN_UP:
            effects.release([current.pk])
        move(change, current, S.SKIPPED, {"summary": reason}, "skip", reason=reason)


def change_budget(task: Task, user: AbstractBaseUser, limit_usd: Decimal | str | None) -> None:
    """A new limit, journaled; work that stood still for money goes on if it fits now."""
    require(user, BUDGET)
    limit = None if limit_usd is None else to_micro(limit_usd, "budget")
    with lifecycle.changing(task.pk, user.get_username()) as change:
        was = change.task.limit_micro
        _refuse_less_than_used(change.task, limit)
        change.set(limit_micro=limit, out_of_budget=False)
        withdrawn = gate().withdraw_budget(change, sentences.BUDGET_CHANGED(name=user.get_username()))
        data = {"limit_micro": limit, "was_micro": was, "questions_withdrawn": withdrawn}
        change.record(Kind.BUDGET, data=data)
        audit.record(
            user, "budget", change.task, before={"limit_usd": _usd(was)}, after={"limit_usd": _usd(limit)}
        )
        change.touched = True
    hints.soon("taskboard.run_task", task.pk, queue="short")


def _usd(micro: int | None) -> Decimal | None:
    return None if micro is None else to_usd(micro)


def _refuse_less_than_used(task: Task, limit: int | None) -> None:
    used = task.spent_micro + task.reserved_micro
    if limit is not None and limit < used:
        text = _("Give at least %(used)s USD: so much is spent or reserved already.")
        raise BadInput(text % {"used": to_usd(used)}, "limit_usd")
