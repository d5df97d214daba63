"""What people do to a task: pause, resume, cancel, try again, skip, change the budget."""

from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser, PermissionsMixin

from taskboard import hints, lifecycle
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.engine import advance
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.gates import gate
from taskboard.lifecycle import StepMove
from taskboard.models import Item, ItemStatus, Kind, PurgeRecord, Step, StepStatus, Task, TaskStatus
from taskboard.models.step import OPEN_STEPS
from taskboard.models.task import SETTLED_ITEMS
from taskboard.money import to_micro
from taskboard.resume.run import resume_task

S = StepStatus
RETRYABLE = (S.FAILED, S.BLOCKED, S.REJECTED, S.SKIPPED)
SKIPPABLE = (S.PENDING, S.WAITING_APPROVAL, S.BLOCKED, S.FAILED)


def pause(task: Task, user: AbstractBaseUser) -> None:
    """Nothing more is claimed; what is started is finished and written."""
    _may(user, "taskboard.operate_task")
    with lifecycle.changing(task.pk, user.get_username()) as change:
        going_on = change.task.steps_in(S.STARTED)
        lifecycle.move_task(change, TaskStatus.PAUSED)
        change.record(Kind.PERSON, data={"did": "pause", "still_finishing": going_on})


def resume(task: Task, user: AbstractBaseUser) -> None:
    """The eight steps; also ends a pause and lets an imported task go."""
    _may(user, "taskboard.operate_task")
    resume_task(task, user.get_username())


def cancel(task: Task, user: AbstractBaseUser, reason: str = "") -> None:
    """For good: open steps and questions end; what a worker still reports is only journaled."""
    _may(user, "taskboard.operate_task")
    reason = clean_text(reason, 2000)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        withdrawn = gate().withdraw(change, None, reason or "The task was cancelled.")
        steps = list(Step.objects.filter(task=task, status__in=OPEN_STEPS))
        fields = {"reserved_micro": 0, "error": reason}
        lifecycle.move_steps(change, [StepMove(step, S.CANCELLED, dict(fields)) for step in steps])
        open_items = Item.objects.filter(task=task).exclude(status__in=SETTLED_ITEMS)
        lifecycle.move_items(change, [(item, ItemStatus.CANCELLED, item.stage) for item in open_items])
        change.set(reserved_micro=0, held=False)
        lifecycle.move_task(change, TaskStatus.CANCELLED, reason)
        data = {"did": "cancel", "reason": reason, "steps": len(steps), "questions_withdrawn": withdrawn}
        change.record(Kind.PERSON, data=data)


def retry_step(step: Step, user: AbstractBaseUser) -> None:
    """Make a step that gave up claimable again; it keeps its idempotency key."""
    _may(user, "taskboard.operate_task")
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _locked(step, RETRYABLE, "tried again")
        _move(
            change, current, S.PENDING, {"failures": 0, "deaths": 0, "error": "", "error_class": ""}, "retry"
        )
    hints.soon("taskboard.run_task", step.task_id, queue="short")


def skip_step(step: Step, user: AbstractBaseUser, reason: str) -> None:
    """Do without this step; the item goes on behind it."""
    _may(user, "taskboard.operate_task")
    reason = clean_text(reason, 2000).strip()
    if not reason:
        raise BadInput("Say why the step is not needed; the journal keeps it.", "reason")
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _locked(step, SKIPPABLE, "skipped")
        gate().withdraw(change, [current.pk], reason)
        _move(change, current, S.SKIPPED, {"summary": reason}, "skip", reason)
    hints.soon("taskboard.run_task", step.task_id, queue="short")


def change_budget(task: Task, user: AbstractBaseUser, limit_usd: Decimal | str | None) -> None:
    """A new limit, journaled; work that stood still for money goes on if it fits now."""
    _may(user, "taskboard.change_budget")
    limit = None if limit_usd is None else to_micro(limit_usd, "budget")
    with lifecycle.changing(task.pk, user.get_username()) as change:
        was = change.task.limit_micro
        change.set(limit_micro=limit, out_of_budget=False)
        change.record(Kind.BUDGET, data={"limit_micro": limit, "was_micro": was})
        change.touched = True
    hints.soon("taskboard.run_task", task.pk, queue="short")


def _may(user: AbstractBaseUser, permission: str) -> None:
    if not (isinstance(user, PermissionsMixin) and user.has_perm(permission)):
        raise NotAllowed("You do not have the right to do this. Ask an administrator for it.")


def _locked(step: Step, statuses: tuple[StepStatus, ...], verb: str) -> Step:
    current = Step.objects.get(pk=step.pk)
    if current.status not in statuses:
        raise WrongState(f"Step {current.name} is {current.get_status_display()}; it cannot be {verb}.")
    return current


def _move(
    change: Change, step: Step, to: StepStatus, fields: dict[str, object], did: str, reason: str = ""
) -> None:
    item = Item.objects.get(pk=step.item_id)
    if PurgeRecord.objects.filter(public_id=change.task.public_id).exists():
        raise WrongState("This task is being purged; its archive can be imported again.")
    if change.task.status == TaskStatus.CANCELLED:
        raise WrongState("The task was cancelled, for good. Start a new one.")
    lifecycle.move_steps(change, [StepMove(step, to, fields)])
    data = {"to": to, "did": did, "reason": reason}
    change.record(Kind.PERSON, item=item.key, step=step.name, attempt=step.attempt, data=data)
    advance.follow(change, [item.pk])
