"""What has expired, what is kept past its time and why, and what expires next."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from taskboard.errors import WrongState
from taskboard.gates import gate
from taskboard.models import PurgeRecord, Step, StepStatus, Task
from taskboard.models.step import OPEN_STEPS
from taskboard.models.task import FINISHED_TASKS

SOON = timedelta(days=30)


def expired(now: datetime) -> QuerySet[Task]:
    """The tasks that may be purged, those that expired first at the top."""
    return Task.objects.expired(now).exclude(_open()).exclude(_begun()).order_by("expires_at", "pk")


def kept(now: datetime) -> QuerySet[Task]:
    """Past their time, and kept all the same: on hold, or something is still open."""
    past = Task.objects.filter(status__in=FINISHED_TASKS, expires_at__lte=now)
    return past.filter(Q(on_hold=True) | _open()).exclude(_begun()).order_by("expires_at", "pk")


def coming(now: datetime) -> QuerySet[Task]:
    """What expires in the next 30 days."""
    window = {"expires_at__gt": now, "expires_at__lte": now + SOON}
    return Task.objects.filter(status__in=FINISHED_TASKS, **window).order_by("expires_at", "pk")


def begun(task: Task) -> PurgeRecord | None:
    """The record of a purge of this task that has begun and is not complete."""
    return PurgeRecord.objects.filter(public_id=task.public_id, completed=False).first()


def why_kept(task: Task, now: datetime) -> str:
    """A sentence why this task may not be purged now; empty if it may."""
    if not task.is_finished:
        return _("It is not finished: its status is %(status)s.") % {"status": task.get_status_display()}
    if task.on_hold:
        return _("It is on hold: %(reason)s") % {"reason": task.hold_reason}
    if task.expires_at is None:
        return _("It has no end of its keeping time, so it is kept.")
    if task.expires_at > now:
        return _("It is kept until %(time)s.") % {"time": f"{localtime(task.expires_at):%Y-%m-%d %H:%M %Z}"}
    return _what_is_open(task)


def _what_is_open(task: Task) -> str:
    step = _open_steps(task).first()
    if step is not None:
        told = {"step": step.name, "item": step.item.key, "status": step.get_status_display()}
        return _("Something is still open: step %(step)s of item %(item)s stands at “%(status)s”.") % told
    if gate().open_questions(task):
        return _("Something is still open: a question to a person has no answer yet.")
    return ""


def check(task: Task, now: datetime) -> None:
    """Raise WrongState unless the task may be purged."""
    if why := why_kept(task, now):
        raise WrongState(_("Task %(id)s cannot be purged. %(why)s") % {"id": task.public_id, "why": why})


def _open_steps(task: Task) -> QuerySet[Step]:
    """A task that could not read its items never began with the steps that wait there."""
    steps = Step.objects.filter(task=task, status__in=OPEN_STEPS).select_related("item")
    return steps if task.items_read else steps.exclude(status=StepStatus.PENDING)


def _open() -> Q:
    steps = Step.objects.filter(task=OuterRef("pk"))
    waiting = steps.filter(status__in=OPEN_STEPS).exclude(status=StepStatus.PENDING)
    pending = steps.filter(status=StepStatus.PENDING)
    return Q(Exists(waiting)) | Q(Exists(pending), items_read=True)


def _begun() -> Q:
    return Q(Exists(PurgeRecord.objects.filter(public_id=OuterRef("public_id"), completed=False)))
