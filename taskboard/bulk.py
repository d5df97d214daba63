"""Actions on many items: chosen by a filter or one by one, carried out in the background, each item by the same
verb as a single action; whatever dies in between goes on behind the last item."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import connection, transaction
from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import desk, hints, origin, selection, sentences
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound, TaskboardError, WrongState
from taskboard.models import BulkAction, BulkJob, BulkResult, Item, Step, Task
from taskboard.rights import LONGEST_REASON, OPERATE, require, said
from taskboard.selection import Selection
from taskboard.steering import steer

O = BulkResult.Outcome  # noqa: E741
NEEDS_REASON = (BulkAction.SKIP, BulkAction.GIVE_UP)
SLICE = 0.5
"""Seconds after which a worker hands over to the next message: decisions share its queue."""
LEASE = timedelta(seconds=30)
BATCH = 50
SAMPLE = 5
PAUSE = 0.002
"""Between two items on SQLite, whose lock is unfair."""


@dataclass(frozen=True)
class PassedOver:
    """Items that match and have no step that the action is for, by what they are instead."""

    status: str
    count: int
    sample: Sequence[Item]


@dataclass(frozen=True)
class Plan:
    """What an action would be done to, before anybody agrees, and what of the choice it passes over."""

    total: int
    sample: Sequence[Item]
    steps: Mapping[str, int]
    passed: Sequence[PassedOver]

    @property
    def others(self) -> int:
        return sum(some.count for some in self.passed)


def plan(task: Task, action: str, selected: Selection) -> Plan:
    """Counted by the database, however many items there are; of each kind only the first few are read."""
    matching, fits = selected.narrow(selection.items_of(task)), fitting(task, action, selected)
    by_name = matching.filter(steps__in=_steps(task, action, selected)).values_list("steps__name")
    touched = _by_status(fits)
    passed = Counter(_by_status(matching)) - Counter(touched)
    return Plan(
        sum(touched.values()),
        list(fits[:SAMPLE]),
        dict(by_name.order_by("steps__name").annotate(Count("steps"))),
        [PassedOver(one, n, _first(task, action, selected, one)) for one, n in passed.most_common()],
    )


def _by_status(items: "QuerySet[Item]") -> dict[str, int]:
    return dict(items.order_by().values_list("status").annotate(Count("id")))


def _first(task: Task, action: str, selected: Selection, status: str) -> list[Item]:
    alike = selected.narrow(selection.items_of(task)).filter(status=status)
    return list(selected.passed_over(action).narrow(alike).order_by("position")[:SAMPLE])


def begin(task: Task, user: AbstractBaseUser, action: str, selected: Selection, reason: str = "") -> BulkJob:
    """Write down what is to be done to which items; a worker does it. Raises BadInput if nothing fits."""
    require(user)
    if action not in BulkAction.values:
        raise BadInput(_("Choose what to do with these items."))
    if action in NEEDS_REASON:
        reason = said(reason, _("Say why; the journal keeps it for each item."))
    total = fitting(task, action, selected).count()
    if not total:
        raise BadInput(_("None of these items has a step that this can be done to (any more)."))
    job = BulkJob.objects.create(
        task=task, action=action, selection=selected.as_json(), reason=clean_text(reason, LONGEST_REASON).strip(),
        by_id=user.pk, by_name=user.get_username(), created_at=timezone.now(), total=total,
        address=origin.address(),
    )  # fmt: skip
    hints.soon("taskboard.bulk", job.pk, queue="short")
    return job


def cancel(job: BulkJob, user: AbstractBaseUser) -> None:
    """Nothing more is done; what was done stays done."""
    require(user)
    now = timezone.now()
    ended = {"cancelled_at": now, "cancelled_by_name": user.get_username(), "finished_at": now}
    if not _unfinished(job.pk).update(**ended):
        raise WrongState(_("This action is over already; there is nothing left to cancel."))


def carry_on(pk: int, seconds: float = SLICE) -> None:
    """One slice of a job, if no other worker is at it; then the next message goes on."""
    job = _taken(pk)
    if job is None:
        return
    until = time.monotonic() + seconds
    try:
        with hints.gathered(), origin.coming_from(job.address):
            over = _work(job, until)
    except NotFound:  # cancelled, or purged with its task
        return
    if over:
        _unfinished(pk).update(finished_at=timezone.now(), busy_until=None)
    elif _unfinished(pk).update(busy_until=None):
        hints.soon("taskboard.bulk", pk, queue="short")


def abandoned(now: datetime) -> list[int]:
    """Jobs that no worker is at."""
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    return list(BulkJob.objects.filter(free, finished_at=None).values_list("pk", flat=True))


def fitting(task: Task, action: str, selected: Selection) -> "QuerySet[Item]":
    """The selected items with a step that the action is for, in their order."""
    steps = _steps(task, action, selected)
    return selected.narrow(selection.items_of(task)).filter(pk__in=steps.values("item")).order_by("position")


def _steps(task: Task, action: str, selected: Selection) -> "QuerySet[Step]":
    return selected.fitting_steps(action).filter(task=task)


def _unfinished(pk: int) -> "QuerySet[BulkJob]":
    return BulkJob.objects.filter(pk=pk, finished_at=None)


def _taken(pk: int) -> BulkJob | None:
    """The job, leased to this worker; None if another one has it or it is over."""
    now = timezone.now()
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    if not _unfinished(pk).filter(free).update(busy_until=now + LEASE):
        return None
    return BulkJob.objects.select_related("task", "by").get(pk=pk)


def _work(job: BulkJob, until: float) -> bool:
    """Item by item until the time is over; True when there is none left."""
    selected = selection.of_json(job.selection)
    while batch := list(fitting(job.task, job.action, selected).filter(position__gt=job.cursor)[:BATCH]):
        for item in batch:
            if not _may(job):
                return True
            _one(job, item, selected)
            if time.monotonic() > until:
                return False
    return True


def _may(job: BulkJob) -> bool:
    """Whoever asked for it must still be there, with the right to it."""
    user = User.objects.filter(pk=job.by_id, is_active=True).first() if job.by_id else None
    if user is not None and user.has_perm(OPERATE):
        job.by = user
        return True
    why = sentences.NO_RIGHT(name=job.by_name)
    _unfinished(job.pk).update(stopped_why=why)
    return False


def _one(job: BulkJob, item: Item, selected: Selection) -> None:
    """The verb and its result in one transaction. Raises NotFound, and undoes it, if the job is over."""
    with transaction.atomic():
        outcome, told = _act(job, item, selected)
        lease = {"cursor": item.position, "busy_until": timezone.now() + LEASE}
        if not _unfinished(job.pk).update(**lease, **{str(outcome): F(str(outcome)) + 1}):
            raise NotFound("This action is over.")
        BulkResult.objects.create(
            job=job, position=item.position, item_key=item.key, outcome=outcome, told=clean_text(told, 1000)
        )
    job.cursor = item.position
    if connection.vendor == "sqlite":
        time.sleep(PAUSE)


def _act(job: BulkJob, item: Item, selected: Selection) -> tuple[BulkResult.Outcome, str]:
    steps = list(_steps(job.task, job.action, selected).filter(item=item).order_by("pk"))
    if not steps:
        return O.SKIPPED, sentences.CHANGED_MEANWHILE()
    refused = []
    for step in steps:
        try:
            VERBS[job.action](step, job)
        except TaskboardError as error:
            refused.append(f"{step.name}: {error.message}")
    names = ", ".join(step.name for step in steps)
    return (O.FAILED, " ".join(refused)) if refused else (O.DONE, names)


def _retry(step: Step, job: BulkJob) -> None:
    steer.retry_step(step, _person(job))


def _skip(step: Step, job: BulkJob) -> None:
    steer.skip_step(step, _person(job), job.reason)


def _give_up(step: Step, job: BulkJob) -> None:
    desk.give_up(step, _person(job), job.reason)


def _person(job: BulkJob) -> User:
    if job.by is None:
        raise NotFound("The person who asked for this is gone.")
    return job.by


VERBS: Mapping[str, Callable[[Step, BulkJob], None]] = {
    BulkAction.RETRY: _retry, BulkAction.SKIP: _skip, BulkAction.GIVE_UP: _give_up,
}  # fmt: skip
