"""Whether work moves: who was seen alive, what waits, and the sentence for people when nothing does."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, Min
from django.db.models.functions import Coalesce
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard.models import Heartbeat, Step, Task, TaskStatus

SILENT_AFTER = timedelta(seconds=30)
"""Workers write their heartbeat every few seconds."""
OVERDUE_AFTER = timedelta(seconds=30)


@dataclass(frozen=True)
class Health:
    """Figures for monitoring: the last sign of each kind of process, and what waits for a worker."""

    seen: dict[str, datetime]
    due_steps: int
    oldest_due_at: datetime | None

    def silent(self, role: str, now: datetime) -> bool:
        return role not in self.seen or now - self.seen[role] > SILENT_AFTER

    def stuck(self, now: datetime) -> bool:
        """Steps could be claimed and nobody claims them."""
        return self.oldest_due_at is not None and now - self.oldest_due_at > OVERDUE_AFTER


def look(now: datetime) -> Health:
    """The figures as they are now."""
    running = Task.objects.filter(status__in=(TaskStatus.RUNNING, TaskStatus.WAITING), held=False)
    due = Step.objects.due(now).filter(task__in=running)
    since = due.aggregate(at=Min(Coalesce("due_at", "task__last_claim_at", "task__started_at")))["at"]
    return Health(seen(), due.count(), since)


def seen() -> dict[str, datetime]:
    """When each kind of process was last seen."""
    return dict(Heartbeat.objects.values_list("role").annotate(at=Max("seen_at")))


def banner(now: datetime) -> str:
    """What people must know when nobody works; empty when all is well or nothing is to be done."""
    last = seen().get(Heartbeat.Role.WORKER)
    if last is not None and now - last <= SILENT_AFTER:
        return ""
    waiting = Task.objects.filter(status__in=(TaskStatus.PENDING, TaskStatus.RUNNING), held=False).count()
    if not waiting:
        return ""
    return f"{_silence(last)} {_waits(waiting)}"


def _silence(last: datetime | None) -> str:
    if last is None:
        return _("No worker has been seen yet: nothing moves until one runs.")
    local = timezone.localtime(last)
    today = local.date() == timezone.localdate()
    shown = formats.time_format(local, "H:i") if today else formats.date_format(local, "j M Y, H:i")
    return _("No worker has been seen since %(time)s: nothing moves until one runs.") % {"time": shown}


def _waits(number: int) -> str:
    return ngettext("%(count)d task waits.", "%(count)d tasks wait.", number) % {"count": number}
