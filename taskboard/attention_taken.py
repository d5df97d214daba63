"""A person takes what needs attention, so that two do not do the same: one holder per row, whoever was first."""

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import looks
from taskboard.attention import CAUSE, STEP, STILL, key_of_task
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import AttentionTaken, Step, StepStatus, Task
from taskboard.models.step import NEEDY_STEPS
from taskboard.numbers import whole
from taskboard.rights import require

KINDS = (STEP, CAUSE, STILL)


def take(user: User, kind: str, key: str, former: str = "") -> AttentionTaken:
    """Whoever names the `former` holder takes it over from that person, and from nobody else."""
    require(user)
    task = _task_of(user, kind, key)
    mine = {"taken_by": user, "taken_by_name": user.get_username(), "at": timezone.now()}
    with transaction.atomic():
        row, new = AttentionTaken.objects.get_or_create(kind=kind, key=key, defaults={"task": task, **mine})
        if not new and former and former == row.taken_by_name:
            held = AttentionTaken.objects.filter(pk=row.pk, taken_by_name=former)
            new = bool(held.update(**mine))
            row.refresh_from_db()
    if not new and row.taken_by_id != user.pk:
        raise WrongState(_("%(name)s has it already: taken %(ago)s.") % _holder(row))
    return row


def give_back(user: User, kind: str, key: str) -> None:
    """Somebody else may take it."""
    require(user)
    if not AttentionTaken.objects.filter(kind=kind, key=key, taken_by=user).delete()[0]:
        raise WrongState(_("You do not have it (any more)."))


def _holder(row: AttentionTaken) -> dict[str, str]:
    return {"name": row.taken_by_name, "ago": looks.age(timezone.now() - row.at)}


def _task_of(user: User, kind: str, key: str) -> Task:
    """The task of a row that is still there; raises NotFound if it needs nobody any more."""
    if kind not in KINDS:
        raise BadInput(_("There is no such kind of row."))
    task = {STEP: _of_step, CAUSE: _of_cause, STILL: _still}[kind](key)
    if task is None or not Task.objects.visible_to(user).filter(pk=task.pk).exists():
        raise NotFound(_("This needs nobody any more: load the page again."))
    return task


def _of_step(key: str) -> Task | None:
    first, _colon, rest = key.partition(":")
    second, _colon, status = rest.partition(":")
    pk, attempt = whole(first), whole(second)
    if pk is None or attempt is None:
        return None
    found = Step.objects.filter(pk=pk, attempt=attempt, status=status, status__in=NEEDY_STEPS)
    step = found.select_related("task").first()
    return step.task if step else None


def _of_cause(key: str) -> Task | None:
    public_id, _bar, rest = key.partition("|")
    name, _bar, error_class = rest.partition("|")
    failed = Step.objects.filter(
        task__public_id=public_id, name=name, error_class=error_class, status=StepStatus.FAILED
    )
    step = failed.select_related("task").first()
    return step.task if step else None


def _still(key: str) -> Task | None:
    task = Task.objects.filter(public_id=key.rpartition(":")[0]).first()
    return task if task and key_of_task(task) == key else None
