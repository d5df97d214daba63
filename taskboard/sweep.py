"""One round of what keeps things going: dead leases, due steps, decisions, expiries, notices."""

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q
from django.utils import timezone

from taskboard import bulk, frozen, hints, notices
from taskboard.engine import deploys, presence, reconcile
from taskboard.engine.claim import CLAIMABLE
from taskboard.errors import TaskboardError
from taskboard.gates import gate
from taskboard.models import Heartbeat, Step, Task, TaskStatus
from taskboard.resume.run import resume_task
from taskboard.retention import purge

log = logging.getLogger(__name__)

QUIET = timedelta(seconds=3)
"""After this long without a claim, a task with due steps gets a new message."""


@dataclass
class Round:
    """How many of each were found."""

    expired: int = 0
    decisions: int = 0
    resumed: int = 0
    woken: int = 0
    told: int = 0


def sweep(now: datetime | None = None) -> Round:
    """Find from the rows what no message announced. Two sweeps at once do no harm."""
    now = now or timezone.now()
    presence.seen(Heartbeat.Role.BEAT)
    done = Round(
        expired=_or_say(partial(gate().expire, now), "expiry"),
        decisions=_or_say(partial(gate().collect, now), "decisions"),
        resumed=sum(
            _or_say(partial(_resume, pk, now), f"resume of task {pk}")
            for pk in reconcile.tasks_with_abandoned(now)
        ),
    )
    for pk in _sleeping(now):
        hints.soon("taskboard.run_task", pk)
        done.woken += 1
    for pk in bulk.abandoned(now):
        hints.soon("taskboard.bulk", pk, queue="short")
    if purge.is_abandoned(now):
        hints.soon("taskboard.purge", queue="steps")
    done.told = notices.tell_starters(now) + gate().tell(now)
    if any(asdict(done).values()):
        log.info("swept", extra=asdict(done))
    return done


def _or_say(part: Callable[[], int], name: str) -> int:
    """One part that fails, as one task that cannot be resumed, does not keep the others waiting."""
    try:
        return part()
    except TaskboardError as error:  # another resumer is at it, or the code lacks its workflow
        log.warning("left out of the sweep", extra={"part": name, "reason": error.message})
    except Exception:
        log.exception("failed in the sweep", extra={"part": name})
    return 0


def _resume(task_pk: int, now: datetime) -> int:
    task = Task.objects.filter(pk=task_pk).first()
    if task is None:  # purged meanwhile
        return 0
    if not deploys.fits(task):  # a person is asked; the task is paused
        if names := deploys.unchanged_writes(task):
            reconcile.look_only(task, names, "taskboard")
        return 0
    if reconcile.lost_a_worker(task_pk, now):
        resume_task(task, "taskboard", by_person=False)
    else:
        reconcile.look_again(task, "taskboard")
    return 1


def _sleeping(now: datetime) -> list[int]:
    """Tasks with something to do that no worker is at."""
    due = frozen.passable(Step.objects.due(now)).filter(
        task__status__in=CLAIMABLE, task__held=False, task__out_of_budget=False
    )
    quiet = Q(last_claim_at=None) | Q(last_claim_at__lt=now - QUIET)
    running = Task.objects.filter(quiet, pk__in=due.values("task"))
    unread = Q(items_read=True) | Q(reader_until=None) | Q(reader_until__lt=now)
    waiting = Task.objects.filter(unread, status=TaskStatus.PENDING, held=False, created_at__lt=now - QUIET)
    return [
        *running.order_by("pk").values_list("pk", flat=True),
        *waiting.order_by("queue_position").values_list("pk", flat=True),
    ]
