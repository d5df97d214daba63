"""A hold keeps a finished task beyond its time, for a reason that a person gave."""

from django.utils.translation import gettext as _

from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, WrongState
from taskboard.lifecycle import changing
from taskboard.models import Kind, Task
from taskboard.retention import expiry

LONGEST_REASON = 1000


def hold(task_pk: int, by: str, reason: str) -> Task:
    """Keep the task until the hold is lifted."""
    reason = clean_text(reason, LONGEST_REASON).strip()
    if not reason:
        raise BadInput(_("Say why this task must be kept: others will read it."), "reason")
    with changing(task_pk, by) as change:
        task = change.task
        if not task.is_finished:
            raise WrongState(_("Task %(id)s is not finished; it is kept anyway.") % {"id": task.public_id})
        if expiry.begun(task):
            told = _("The purge of task %(id)s has begun; it cannot be held any more.")
            raise WrongState(told % {"id": task.public_id})
        change.set(on_hold=True, hold_reason=reason)
        change.record(Kind.PERSON, data={"did": "hold", "reason": reason})
    return task


def release(task_pk: int, by: str) -> Task:
    """Lift the hold: the task may be purged once its time is over."""
    with changing(task_pk, by) as change:
        task = change.task
        if not task.on_hold:
            raise WrongState(_("Task %(id)s is not on hold.") % {"id": task.public_id})
        change.record(Kind.PERSON, data={"did": "release", "reason": task.hold_reason})
        change.set(on_hold=False, hold_reason="")
    return task
