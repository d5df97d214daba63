"""The automatic purge: once per local day, at a time of that day; off unless the setting turns it on."""

import logging
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from taskboard import audit
from taskboard.models import PurgePlan
from taskboard.retention import consent, expiry, plans
from taskboard.retention.plans import PlanChanged

log = logging.getLogger(__name__)
LARGEST_CHANGE = timedelta(hours=2)
"""By which clocks are put forward or back."""


def is_on() -> bool:
    return bool(settings.TASKBOARD_AUTO_PURGE)


def tick(now: datetime | None = None) -> PurgePlan | None:
    """The run of this day if it is time and nobody has made it yet. Two at once make one."""
    now = now or timezone.now()
    if not is_on() or not _is_time(now) or _made(_local(now).date()):
        return None
    return _run(_local(now).date(), now)


def next_run(now: datetime) -> datetime | None:
    """When the next run begins, at a minute's accuracy; None if it is off."""
    if not is_on():
        return None
    moment, day = now.replace(second=0, microsecond=0), _local(now).date()
    if _made(day):
        day += timedelta(days=1)
    first = datetime.combine(day, settings.TASKBOARD_AUTO_PURGE_AT, _zone()).astimezone(UTC) - LARGEST_CHANGE
    moment = max(moment, first)
    while not (_is_time(moment) and _local(moment).date() >= day):
        moment += timedelta(minutes=1)
    return moment


def _run(day: date, now: datetime) -> PurgePlan | None:
    """A run that died before its purge began is made anew, with what has expired by now."""
    PurgePlan.objects.filter(day=day, asked_at=None, begun_at=None, finished_at=None).delete()
    waiting = PurgePlan.objects.filter(begun_at=None, refused_at=None).exclude(asked_at=None)
    tasks = expiry.expired(now).exclude(public_id__in=waiting.values("tasks__public_id"))
    try:
        with transaction.atomic():
            plan = plans.make(audit.SYSTEM, tasks, day=day)
    except IntegrityError:
        return None
    if not plan.size:
        PurgePlan.objects.filter(pk=plan.pk).update(begun_at=now, finished_at=now)
        return plan
    try:
        return consent.begin(plan, audit.SYSTEM)
    except PlanChanged as error:
        log.info("the automatic purge looks again", extra={"reason": error.message})
        return None


def _made(day: date) -> bool:
    """A plan that has neither begun nor asked died before it came to that."""
    runs = PurgePlan.objects.filter(day=day)
    return runs.exclude(asked_at=None, begun_at=None, finished_at=None).exists()


def _is_time(now: datetime) -> bool:
    return _local(now).time() >= settings.TASKBOARD_AUTO_PURGE_AT


def _local(now: datetime) -> datetime:
    return now.astimezone(_zone())


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.TASKBOARD_TIME_ZONE)
