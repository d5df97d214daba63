"""A purge is shown before it begins, and begins only if it still is what was shown: the digest of a plan seals
which tasks it takes and what each of them holds."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit
from taskboard.audit import Actor
from taskboard.errors import BadInput, WrongState
from taskboard.models import PurgePlan, PurgePlanTask, Task
from taskboard.retention import expiry
from taskboard.retention.hold import name_of
from taskboard.retention.preview import Preview, previews
from taskboard.seal import sha256_of

MOST = 500
"""Tasks of one plan: they are locked together for a moment when it begins."""
MOST_KEPT = 100
"""Kept tasks that a plan names; it counts the others."""
FORGOTTEN_AFTER = timedelta(days=2)
"""A preview that came to nothing."""


class PlanChanged(WrongState):
    """What a purge would take is not what was shown; `differs` says what changed, a sentence each."""

    def __init__(self, differs: Sequence[str]) -> None:
        told = _("Nothing was purged, since something changed after the preview.")
        super().__init__(" ".join([told, *differs[:5], _("Look at a new preview.")]))
        self.differs = differs


def make(by: Actor, tasks: "QuerySet[Task]", day: date | None = None) -> PurgePlan:
    """Look at these of the expired tasks and write down what a purge would take. Raises BadInput if there are
    none, unless it is the run of a day."""
    now = timezone.now()
    _forget_old_ones(now)
    chosen = list(tasks[:MOST])
    if not chosen and day is None:
        raise BadInput(_("None of these tasks can be purged (any more). Load the page again."))
    seen = previews(chosen)
    sums = _sum(seen.values())
    kept = expiry.kept(now)
    shown = list(kept[:MOST_KEPT])
    why = expiry.reasons(shown, now)
    with transaction.atomic():
        plan = PurgePlan.objects.create(
            by=by if isinstance(by, User) else None, by_name=name_of(by), created_at=now, day=day, size=len(chosen),
            digest=_digest((task.public_id, task.version, seen[task.pk]) for task in chosen), sums=sums.as_json(),
            kept=[{"task": task.public_id, "why": why[task.pk]} for task in shown], kept_count=kept.count(),
        )  # fmt: skip
        PurgePlanTask.objects.bulk_create(
            _line(plan, number, task, seen[task.pk]) for number, task in enumerate(chosen, 1)
        )
        audit.record(by, "purge_planned", plan, after=about(plan))
    return plan


def differences(plan: PurgePlan, now: datetime) -> list[str]:
    """What is no longer as it was shown, a sentence each; nothing is locked."""
    lines = list(plan.tasks.all())
    tasks = {task.public_id: task for task in _tasks_of(lines)}
    seen = previews(list(tasks.values()))
    may = set(expiry.expired(now).filter(public_id__in=tasks).values_list("public_id", flat=True))
    told = []
    for line in lines:
        task = tasks.get(line.public_id)
        if task is None:
            told.append(_("%(id)s is gone.") % {"id": line.public_id})
        elif line.public_id not in may:
            why = expiry.why_kept(task, now) or _("Its purge has begun already.")
            told.append(f"{line.public_id}: {why}")
        else:
            told += _differs(line, task, seen[task.pk])
    if not told and _digest((line.public_id, line.version, recorded(line)) for line in lines) != plan.digest:
        told.append(_("The plan itself is not what was shown: its digest does not fit."))
    return told


def about(plan: PurgePlan) -> dict[str, Any]:
    """For the audit log: which plan, how much, sealed by which digest."""
    sums = Preview.recorded(plan.sums)
    return {
        "tasks": plan.size,
        "rows": sums.total,
        "files": sums.files,
        "bytes": sums.bytes,
        "sha256": plan.digest,
    }


def recorded(line: PurgePlanTask) -> Preview:
    return Preview.recorded(line.seen)


def _differs(line: PurgePlanTask, task: Task, seen: Preview) -> list[str]:
    """In words, with the numbers that grew or shrank."""
    was = recorded(line)
    if was == seen:
        return [] if line.version == task.version else [_("%(id)s was changed.") % {"id": line.public_id}]
    numbers = [
        f"{title} {before} → {after}"
        for (title, before), (_title, after) in zip(_figures(was), _figures(seen), strict=True)
        if before != after
    ]
    told = {"id": line.public_id, "numbers": ", ".join(numbers) or _("the names of its files or links")}
    return [_("%(id)s is not as it was: %(numbers)s.") % told]


def _figures(seen: Preview) -> list[tuple[str, int]]:
    files = [(_("files"), seen.files), (_("bytes"), seen.bytes), (_("missing files"), seen.missing)]
    return [*sorted(seen.named), *files, (_("links"), seen.links), (_("effects"), seen.effects)]


def _tasks_of(lines: Iterable[PurgePlanTask]) -> "QuerySet[Task]":
    return Task.objects.filter(public_id__in=[line.public_id for line in lines]).order_by("pk")


def _line(plan: PurgePlan, number: int, task: Task, seen: Preview) -> PurgePlanTask:
    return PurgePlanTask(
        plan=plan, position=number, public_id=task.public_id, goal=task.goal, finished_at=task.finished_at,
        spent_micro=task.spent_micro, version=task.version, seen=seen.as_json(),
    )  # fmt: skip


def _digest(lines: Iterable[tuple[str, int, Preview]]) -> str:
    return sha256_of([[public_id, version, seen.as_json()] for public_id, version, seen in lines])


def _sum(seen: Iterable[Preview]) -> Preview:
    sums = Preview()
    for one in seen:
        sums.add(one)
    return sums


def _forget_old_ones(now: datetime) -> None:
    old: Mapping[str, Any] = {"created_at__lt": now - FORGOTTEN_AFTER, "day": None}
    PurgePlan.objects.filter(asked_at=None, begun_at=None, refused_at=None, **old).delete()
