"""The purge: archive first, then small batches, leaf first; killed at any point, the next run goes on."""

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import artifacts, audit, hints, origin, usage
from taskboard.audit import Actor
from taskboard.errors import NotFound, TaskboardError
from taskboard.models import AuditEntry, PurgePlan, PurgePlanTask, PurgeRecord, Task
from taskboard.retention import archive, batches, begun, expiry
from taskboard.retention.archive import Archive
from taskboard.retention.batches import locked
from taskboard.retention.hold import name_of
from taskboard.retention.preview import preview

SLICE = 5.0
"""Seconds after which a worker hands over to the next message."""
ASKED_AS = ("purge_asked", "purge_begun")
"""The acts that have this person and their address."""
LEASE = timedelta(seconds=60)
"""How long a worker is believed to be at a task; two at once would do no harm."""
O = PurgePlanTask.Outcome  # noqa: E741
log = logging.getLogger(__name__)


def begin(task_pk: int, by: Actor) -> PurgeRecord:
    """The record comes before anything is removed; `held` freezes the task: nothing works on it."""
    with locked(task_pk) as task:
        if record := begun.of(task):
            return record
        now = timezone.now()
        expiry.check(task, now)
        Task.objects.filter(pk=task_pk).update(held=True)
        record = record_of(task, name_of(by), now)
        record.save()
        audit.record(by, "purge_begun", task)
    return record


def record_of(task: Task, by: str, now: datetime, plan: PurgePlan | None = None) -> PurgeRecord:
    """What stays of the task. What a task that was read back from an archive had cost stands in an earlier one."""
    return PurgeRecord(
        plan=plan, agreed_by=plan.agreed_by_name if plan else "", public_id=task.public_id, workflow=task.workflow,
        goal=task.goal, created_by_name=task.created_by_name, created_at=task.created_at,
        finished_at=task.finished_at or task.updated_at, purged_at=now, purged_by=by,
        spent_micro=0 if task.archived else task.spent_micro,
    )  # fmt: skip


def purge_task(task_pk: int, by: Actor) -> PurgeRecord:
    """Purge one task; raises WrongState unless it has expired, whatever was true a moment ago."""
    record = begin(task_pk, by)
    carry_out(record)
    return record


def carry_on(seconds: float = SLICE) -> None:
    """One slice of whatever has begun and no other worker is at; then the next message goes on."""
    until = time.monotonic() + seconds
    while (record := _taken()) is not None:
        try:
            carry_out(record, until)
        except (TaskboardError, OSError) as error:
            log.warning("not purged", extra={"task": record.public_id, "error": str(error)}, exc_info=True)
        if time.monotonic() > until:
            _give_back(record)
            hints.soon("taskboard.purge", queue="steps")
            return


def is_abandoned(now: datetime) -> bool:
    """Whether something has begun that no worker is at."""
    return _free(now).exists()


def carry_out(record: PurgeRecord, until: float | None = None) -> bool:
    """Everything after `begin`, from wherever an earlier run got to; False when the time was over first."""
    task = Task.objects.filter(public_id=record.public_id).first()
    if task is None:
        return True
    if not record.archive_sha256 and not _archive(task, record):
        _look_again(record)
        return True
    artifacts.remove(task.public_id)
    if not _remove_rows(task, record, until):
        return False
    _finish(task, record)
    _look_again(record)
    return True


def let_go(record: PurgeRecord, told: str) -> bool:
    """Before the archive counts nothing is removed: the task is free again. False if it has come too far."""
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(public_id=record.public_id).first()
        if not PurgeRecord.objects.filter(pk=record.pk, archive_sha256="").delete()[0]:
            return False
        if task is not None:
            Task.objects.filter(pk=task.pk).update(held=False)
        _settle(record, O.KEPT, told)
    return True


def cancelled() -> str:
    return _("The purge was cancelled before its turn.")


def _archive(task: Task, record: PurgeRecord) -> bool:
    """From here on there is no way back. False if the task is kept after all: it was put on hold, or the purge
    cancelled. If two runs meet here, the first one's archive counts: the other may have seen a task half gone."""
    if why := _why_not(task, record):
        let_go(record, why)
        return _is_archived(record)
    counts = {**preview(task).as_json(), "items": dict(task.item_counts), "usage": usage.per_model(task)}
    try:
        kept = archive.write(task)
    except Exception as error:
        let_go(record, str(error))
        raise
    try:
        why = _accept(task, record, counts, kept)
    except NotFound:  # another run has come to the end meanwhile
        why = ""
    if why:
        let_go(record, why)
    if not PurgeRecord.objects.filter(archive=kept.name).exists():
        archive.storage().delete(kept.name)
    return _is_archived(record)


def _accept(task: Task, record: PurgeRecord, counts: dict[str, Any], kept: Archive) -> str:
    """The archive counts from now on, unless another one does; or the sentence why the task is kept after all."""
    with locked(task.pk) as fresh:
        why = _why_not(fresh, record)
        if not why:
            waiting = PurgeRecord.objects.filter(pk=record.pk, archive_sha256="")
            waiting.update(counts=counts, archive=kept.name, archive_sha256=kept.sha256)
    return why


def _look_again(record: PurgeRecord) -> None:
    """What stands of it now, if it was not let go."""
    if PurgeRecord.objects.filter(pk=record.pk).exists():
        record.refresh_from_db()


def _is_archived(record: PurgeRecord) -> bool:
    return begun.unfinished().filter(pk=record.pk).exclude(archive_sha256="").exists()


def _why_not(task: Task, record: PurgeRecord) -> str:
    """A hold that came after the purge began still keeps what is not archived."""
    if PurgePlan.objects.filter(records=record.pk).exclude(cancelled_at=None).exists():
        return cancelled()
    return expiry.why_kept(task, timezone.now())


def _remove_rows(task: Task, record: PurgeRecord, until: float | None) -> bool:
    pace = batches.Pace()

    def note(number: int) -> None:
        lease = timezone.now() + LEASE
        PurgeRecord.objects.filter(pk=record.pk).update(removed=F("removed") + number, busy_until=lease)

    for some in batches.what_goes(task):
        while batches.batch(task.pk, some, pace, (lambda _number: note(0)) if some.key else note):
            batches.breathe()
            if until is not None and time.monotonic() > until:
                return False
    return True


def _finish(task: Task, record: PurgeRecord) -> None:
    try:
        with locked(task.pk):
            batches.remove_task(task)
            PurgeRecord.objects.filter(pk=record.pk).update(
                completed=True, purged_at=timezone.now(), removed=F("removed") + 1
            )
            _settle(record, O.PURGED)
            record.refresh_from_db()
            told = {"rows": record.removed, "archive": record.archive, "sha256": record.archive_sha256}
            with origin.coming_from(_came_from(record)):
                audit.record(record.purged_by, "purge", ("task", record.public_id), after=told)
    except NotFound:
        log.info("another run finished this purge", extra={"task": task.public_id})


def _came_from(record: PurgeRecord) -> str:
    """The address from which its person asked for this purge, which workers carry out."""
    asked = AuditEntry.objects.filter(
        target_kind="purgeplan", target=str(record.plan_id), actor=record.purged_by, action__in=ASKED_AS
    )
    kept = asked.order_by("-pk").values_list("address", flat=True).first() if record.plan_id else None
    return origin.address() if kept is None else kept


def _settle(record: PurgeRecord, outcome: str, told: str = "") -> None:
    """Write down what came of a task; the last one ends its plan, whose lock tells which one that is."""
    plan = PurgePlan.objects.filter(pk=record.plan_id) if record.plan_id else PurgePlan.objects.none()
    if plan.select_for_update().first() is None:
        return
    PurgePlanTask.objects.filter(plan=record.plan_id, public_id=record.public_id).update(
        outcome=outcome, told=told
    )
    if not begun.unfinished().filter(plan=record.plan_id).exists():
        plan.filter(finished_at=None).update(finished_at=timezone.now())


def _free(now: datetime) -> "QuerySet[PurgeRecord]":
    return begun.unfinished().filter(Q(busy_until=None) | Q(busy_until__lt=now))


def _taken() -> PurgeRecord | None:
    """The next task, leased to this worker; None if there is none left, or others are at all of them."""
    now = timezone.now()
    for record in _free(now).select_related("plan")[:20]:
        if _free(now).filter(pk=record.pk).update(busy_until=now + LEASE):
            return record
    return None


def _give_back(record: PurgeRecord) -> None:
    PurgeRecord.objects.filter(pk=record.pk, completed=False).update(busy_until=None)
