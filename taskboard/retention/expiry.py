"""What has expired, what is kept past its time and why, and what expires next."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from taskboard.errors import WrongState
from taskboard.gates import gate
from taskboard.models import HoldRule, Step, StepStatus, Task
from taskboard.models.step import OPEN_STEPS
from taskboard.models.task import FINISHED_TASKS, OPEN_TASKS
from taskboard.retention import begun, hold, search_holds

SOON = timedelta(days=30)


def expired(now: datetime) -> QuerySet[Task]:
    """The tasks that may be purged, those that expired first at the top."""
    return (
        Task.objects.past_its_time(now)
        .exclude(_kept(now))
        .exclude(begun.tasks())
        .order_by("expires_at", "pk")
    )


def kept(now: datetime) -> QuerySet[Task]:
    """Past their time, and kept all the same: held, still open, or needed by another task."""
    return (
        Task.objects.past_its_time(now).filter(_kept(now)).exclude(begun.tasks()).order_by("expires_at", "pk")
    )


def coming(now: datetime) -> QuerySet[Task]:
    """What expires in the next 30 days."""
    window = {"expires_at__gt": now, "expires_at__lte": now + SOON}
    return Task.objects.filter(status__in=FINISHED_TASKS, **window).order_by("expires_at", "pk")


def why_kept(task: Task, now: datetime) -> str:
    """A sentence why this task may not be purged now; empty if it may."""
    if not task.is_finished:
        return _("It is not finished: its status is %(status)s.") % {"status": task.get_status_display()}
    return why_held(task, now) or _its_time(task, now) or _what_is_open(task) or _who_needs_it(task)


def why_held(task: Task, now: datetime) -> str:
    """A sentence on the first of the holds that keep it; empty if none does."""
    return _why_held(task, now, search_holds.keeping([task], now).get(task.pk, ()))


def reasons(tasks: Iterable[Task], now: datetime) -> Mapping[int, str]:
    """Why each of these finished tasks is kept. The number of queries grows with the tasks that no hold keeps:
    something of each of these is open."""
    tasks = list(tasks)
    held = holds(tasks, now)
    return {task.pk: held[task.pk] or _what_is_open(task) or _who_needs_it(task) for task in tasks}


def holds(tasks: Iterable[Task], now: datetime) -> Mapping[int, str]:
    """Which hold keeps each of these tasks, as a sentence; empty where none does."""
    tasks = list(tasks)
    keeping = search_holds.keeping(tasks, now)
    return {task.pk: _why_held(task, now, keeping.get(task.pk, ())) for task in tasks}


def check(task: Task, now: datetime) -> None:
    """Raise WrongState unless the task may be purged."""
    if why := why_kept(task, now):
        raise WrongState(_("Task %(id)s cannot be purged. %(why)s") % {"id": task.public_id, "why": why})


def _kept(now: datetime) -> Q:
    waits = Q(pk__in=gate().unsettled())
    followed = Q(Exists(_open_followers(OuterRef("pk"))))
    return hold.holding(now) | search_holds.matching(now) | _open() | waits | followed


def _why_held(task: Task, now: datetime, keeping: Sequence[HoldRule]) -> str:
    if hold.holds(task, now):
        return hold.why(task)
    return search_holds.why(keeping[0]) if keeping else ""


def _its_time(task: Task, now: datetime) -> str:
    if task.expires_at is None:
        return _("It has no end of its keeping time, so it is kept.")
    if task.expires_at > now:
        return _("It is kept until %(time)s.") % {"time": f"{localtime(task.expires_at):%Y-%m-%d %H:%M %Z}"}
    return ""


def _what_is_open(task: Task) -> str:
    step = _open_steps(task).first()
    if step is not None:
        told = {"step": step.name, "item": step.item.key, "status": step.get_status_display()}
        return _("Something is still open: step %(step)s of item %(item)s stands at “%(status)s”.") % told
    if gate().open_questions(task, limit=1):
        return _("Something is still open: a question to a person has no answer yet.")
    if Task.objects.filter(pk=task.pk, pk__in=gate().unsettled()).exists():
        return _("Something is still open: nobody has picked up yet what became of a question to a person.")
    return ""


def _who_needs_it(task: Task) -> str:
    follower = _open_followers(task.pk).first()
    if follower is None:
        return ""
    return _("Task %(id)s continues it and is not finished.") % {"id": follower.public_id}


def _open_followers(pk: Any) -> QuerySet[Task]:
    return Task.objects.filter(continues=pk, status__in=OPEN_TASKS).order_by("pk")


def _open_steps(task: Task) -> QuerySet[Step]:
    """A task that could not read its items never began with the steps that wait there."""
    steps = Step.objects.filter(task=task, status__in=OPEN_STEPS).select_related("item")
    return steps if task.items_read else steps.exclude(status=StepStatus.PENDING)


def _open() -> Q:
    steps = Step.objects.filter(task=OuterRef("pk"))
    waiting = steps.filter(status__in=OPEN_STEPS).exclude(status=StepStatus.PENDING)
    pending = steps.filter(status=StepStatus.PENDING)
    return Q(Exists(waiting)) | Q(Exists(pending), items_read=True)
