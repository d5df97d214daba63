"""Whether a person may steer; every function that changes something for a person asks here first."""

from django.contrib.auth.models import AbstractBaseUser, PermissionsMixin
from django.utils.translation import gettext as _

from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import PurgeRecord, TaskStatus

SEE = "taskboard.view_task"
OPERATE = "taskboard.operate_task"
BUDGET = "taskboard.change_budget"
RETAIN = "taskboard.retain_task"
FREEZE = "taskboard.freeze_system"
THAW = "taskboard.thaw_system"
LONGEST_REASON = 2000


def require(user: AbstractBaseUser, permission: str = OPERATE) -> None:
    """Raises NotAllowed unless this person has the right."""
    if not (isinstance(user, PermissionsMixin) and user.has_perm(permission)):
        raise NotAllowed(_("You do not have the right to do this. Ask an administrator for it."))


def require_steerable(change: Change) -> None:
    """Raises WrongState if the locked task is over for good."""
    if PurgeRecord.objects.filter(public_id=change.task.public_id).exists():
        raise WrongState(_("This task is being purged; its archive can be imported again."))
    if change.task.status == TaskStatus.CANCELLED:
        raise WrongState(_("The task was cancelled, for good. Start a new one."))


def said(text: str, question: str) -> str:
    """What a person wrote, fit for the database; raises BadInput with the question if it is empty."""
    clean = clean_text(text, LONGEST_REASON).strip()
    if not clean:
        raise BadInput(question)
    return clean
