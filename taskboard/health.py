"""Whether work moves: who was seen alive, what waits, and the sentence for people when nothing does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db.models import Exists, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_stubs_ext import StrOrPromise
from kombu.exceptions import OperationalError

from taskboard import dates, frozen
from taskboard.gates import gate
from taskboard.models import Checkpoint, Heartbeat, Kind, Step, StepStatus, Task, TaskStatus

BROKER_SECONDS = 2
NEWEST_ROWS = 100
NEEDED = (Heartbeat.Role.WORKER, Heartbeat.Role.BEAT)
"""Work moves only while both are alive."""
_SILENT: Mapping[str, StrOrPromise] = {
    Heartbeat.Role.BEAT: gettext_lazy(
        "The scheduler was last seen at %(time)s: what lost its worker is not noticed until it runs."
    ),
    Heartbeat.Role.RESUMER: gettext_lazy(
        "The worker for decisions was last seen at %(time)s: they are not carried out until it runs."
    ),
}


@dataclass(frozen=True)
class Health:
    """Figures for monitoring: the last sign of each kind of process, and what waits for a worker."""

    seen: dict[str, datetime]
    due_steps: int
    oldest_due_at: datetime | None
    undelivered: int
    oldest_undelivered_at: datetime | None

    def silent(self, role: str, now: datetime) -> bool:
        return _silent(self.seen.get(role), now)

    def stuck(self, now: datetime) -> bool:
        """Steps could be claimed and nobody claims them."""
        return is_overdue(self.oldest_due_at, now)

    def faults(self, now: datetime) -> list[str]:
        """Why work does not move, for whoever watches; none if all is well or nothing is to be done."""
        found = []
        if self.stuck(now):
            found.append(f"nothing was begun since {_utc(self.oldest_due_at)}; due steps: {self.due_steps}")
        if is_overdue(self.oldest_undelivered_at, now):
            since = _utc(self.oldest_undelivered_at)
            found.append(f"decisions not picked up: {self.undelivered}, the oldest of {since}")
        if self.due_steps or self.undelivered:
            found += [f"no {role} was seen lately" for role in NEEDED if self.silent(role, now)]
        return found

    def work(self, now: datetime) -> str:
        return "stuck" if self.stuck(now) else "moves" if self.due_steps else "nothing due"


def look(now: datetime) -> Health:
    """The figures as they are now."""
    due = frozen.passable(Step.objects.due(now)).filter(task__in=_claimable())
    return Health(seen(), due.count(), _idle_since(now), *gate().undelivered(now))


def seen() -> dict[str, datetime]:
    """When each kind of process was last seen."""
    return dict(Heartbeat.objects.values_list("role").annotate(at=Max("seen_at")))


@dataclass(frozen=True)
class Silence:
    """A kind of process that was not seen lately, and when it was seen last."""

    role: Heartbeat.Role
    last: datetime | None


def silent_roles(now: datetime) -> list[Silence]:
    """Workers and scheduler, if they went silent."""
    last = seen()
    return [Silence(role, last.get(role)) for role in NEEDED if _silent(last.get(role), now)]


def broker_fault() -> str:
    """Why the broker does not answer; empty if it does. Without it work goes on, but slower."""
    try:
        with current_app.connection_for_write(connect_timeout=BROKER_SECONDS) as connection:
            connection.ensure_connection(max_retries=0, timeout=BROKER_SECONDS)
    except (OperationalError, OSError) as error:
        return str(error) or type(error).__name__
    return ""


def banner(now: datetime) -> str:
    """What people must know when nobody works; empty when all is well or nothing is to be done."""
    last = seen()
    waits = _waits(now)
    if _silent(last.get(Heartbeat.Role.WORKER), now):
        return f"{_no_worker(last.get(Heartbeat.Role.WORKER))} {waits}" if waits else ""
    gone = [_SILENT[role] % {"time": _clock(last[role])} for role in _gone(last, now)]
    return " ".join([*gone, waits]) if gone and waits else _still(now)


def _gone(last: Mapping[str, datetime], now: datetime) -> list[str]:
    """Who ran beside the workers and is missed. A resumer need not be: workers may do its work."""
    scheduler, resumer = Heartbeat.Role.BEAT, Heartbeat.Role.RESUMER
    missed = [scheduler, resumer] if is_overdue(gate().undelivered(now)[1], now) else [scheduler]
    return [role for role in missed if role in last and _silent(last[role], now)]


def _still(now: datetime) -> str:
    """A worker lives, and yet nothing moves."""
    since = _idle_since(now)
    if is_overdue(since, now):
        return _("Nothing has been begun since %(time)s, although work is due.") % {"time": _clock(since)}
    count, oldest = gate().undelivered(now)
    if not is_overdue(oldest, now):
        return ""
    told = ngettext(
        "%(count)d decision has not been picked up since %(time)s.",
        "%(count)d decisions have not been picked up since %(time)s.",
        count,
    )
    return told % {"count": count, "time": _clock(oldest)}


def _claimable() -> "QuerySet[Task]":
    """The tasks whose due steps a worker should begin."""
    running = Task.objects.filter(status__in=(TaskStatus.RUNNING, TaskStatus.WAITING), held=False)
    return running.filter(out_of_budget=False, stop_after={})


def _idle_since(now: datetime) -> datetime | None:
    """Since when nobody begins anything, though a task has due steps and no worker is at it."""
    idle: datetime | None = _idle(now).order_by("since").values_list("since", flat=True).first()
    last: datetime | None = _claimable().aggregate(last=Max("last_claim_at"))["last"]
    return max(idle, last) if idle and last else idle


def _idle(now: datetime) -> "QuerySet[Any, Any]":
    steps = Step.objects.filter(task=OuterRef("pk"))
    at_work = steps.filter(status=StepStatus.STARTED, lease_until__gte=now)
    due = frozen.passable(steps.due(now))
    oldest = due.order_by("position", "id").values("due_at")[:1]
    begun = Coalesce("last_claim_at", "started_at", "created_at")
    idle = _claimable().filter(Exists(due)).exclude(Exists(at_work))
    return idle.annotate(since=Greatest(begun, Coalesce(oldest, begun), Coalesce(_asked_for(), begun)))


def _asked_for() -> Subquery:
    """When a person last had a task go on, by its newest journal rows: what is tried again is due only since then."""
    newest = Checkpoint.objects.filter(ordinal__gt=OuterRef("last_ordinal") - NEWEST_ROWS)
    acts = newest.filter(task=OuterRef("pk"), kind__in=(Kind.PERSON, Kind.RESUME))
    return Subquery(acts.order_by("-ordinal").values("at")[:1])


def is_overdue(since: datetime | None, now: datetime) -> bool:
    """Whether something waits for longer than any pause explains."""
    return since is not None and now - since > timedelta(seconds=settings.TASKBOARD_STUCK_SECONDS)


def _silent(last: datetime | None, now: datetime) -> bool:
    return last is None or now - last > timedelta(seconds=settings.TASKBOARD_SILENT_SECONDS)


def _no_worker(last: datetime | None) -> str:
    if last is None:
        return _("No worker has been seen yet: nothing moves until one runs.")
    return _("No worker has been seen since %(time)s: nothing moves until one runs.") % {"time": _clock(last)}


def _clock(moment: datetime | None) -> str:
    """The time of day, with the day if it is not today."""
    local = timezone.localtime(moment)
    today = local.date() == timezone.localdate()
    return formats.time_format(local, "H:i") if today else dates.minute(local)


def _utc(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else "–"


def _waits(now: datetime) -> str:
    """What lies still meanwhile, in a sentence for each kind; empty if nothing does."""
    going = (TaskStatus.PENDING, TaskStatus.RUNNING)
    tasks = Task.objects.filter(status__in=going, held=False).count()
    decisions, _oldest = gate().undelivered(now)
    told = [
        ngettext("%(count)d task waits.", "%(count)d tasks wait.", tasks) % {"count": tasks},
        ngettext("%(count)d decision waits.", "%(count)d decisions wait.", decisions) % {"count": decisions},
    ]
    return " ".join(line for line, number in zip(told, (tasks, decisions), strict=True) if number)
