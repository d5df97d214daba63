"""The purge: archive first, then small batches, leaf first; killed at any point, the next run goes on."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from taskboard import artifacts
from taskboard.errors import NotFound
from taskboard.journal import journal_unlocked
from taskboard.models import Checkpoint, PurgeRecord, Task
from taskboard.retention import archive, expiry
from taskboard.retention.preview import preview
from taskboard.retention.tables import pointers, tables

BATCH = 1000
PAUSE = 0.002
"""Between two batches on SQLite, whose lock is unfair: otherwise a person's click would wait for long."""
log = logging.getLogger(__name__)

Rows = models.QuerySet[Any]


def begin(task_pk: int, by: str) -> PurgeRecord:
    """The record comes before anything is removed; `held` freezes the task: nothing works on it."""
    with _locked(task_pk) as task:
        if record := expiry.begun(task):
            return record
        expiry.check(task, timezone.now())
        Task.objects.filter(pk=task_pk).update(held=True)
        return PurgeRecord.objects.create(
            public_id=task.public_id,
            workflow=task.workflow,
            goal=task.goal,
            created_by_name=task.created_by_name,
            created_at=task.created_at,
            finished_at=task.finished_at or task.updated_at,
            purged_at=timezone.now(),
            purged_by=by,
            spent_micro=task.spent_micro,
        )


def purge_task(task_pk: int, by: str) -> PurgeRecord:
    """Purge one task; raises WrongState unless it has expired, whatever was true a moment ago."""
    record = begin(task_pk, by)
    carry_out(record)
    return record


def purge_unfinished() -> int:
    """Carry out every purge that has begun; returns how many. Two runs at once do no harm."""
    records = list(PurgeRecord.objects.filter(completed=False).order_by("pk"))
    for record in records:
        carry_out(record)
    return len(records)


def carry_out(record: PurgeRecord) -> None:
    """Everything after `begin`, from wherever an earlier run got to."""
    task = Task.objects.filter(public_id=record.public_id).first()
    if task is not None:
        if not record.archive_sha256:
            _archive(task, record)
        artifacts.remove(task.public_id)
        for some in _what_goes(task):
            while _batch(task.pk, some):
                _breathe()
        _finish(task, record)
    record.refresh_from_db()


def unfinished() -> models.QuerySet[Task]:
    """Tasks whose purge has begun and is not complete."""
    records = PurgeRecord.objects.filter(completed=False)
    return Task.objects.filter(public_id__in=records.values("public_id")).order_by("pk")


def selected(now: datetime, before: datetime | None = None) -> list[int]:
    """What a purge of everything would take: what was begun, then what has expired (before that time)."""
    expired = expiry.expired(now)
    if before is not None:
        expired = expired.filter(expires_at__lt=before)
    return [*unfinished().values_list("pk", flat=True), *expired.values_list("pk", flat=True)]


def _archive(task: Task, record: PurgeRecord) -> None:
    """If two runs meet here, the first one's archive counts: the other may have seen a task half gone."""
    counts = {**preview(task).as_json(), "items": dict(task.item_counts)}
    try:
        kept = archive.write(task)
    except Exception:
        _call_off(record)
        raise
    mine = PurgeRecord.objects.filter(pk=record.pk, archive_sha256="").update(
        counts=counts, archive=kept.name, archive_sha256=kept.sha256
    )
    record.refresh_from_db()
    if not mine and record.archive != kept.name:
        archive.storage().delete(kept.name)


def _call_off(record: PurgeRecord) -> None:
    """Without an archive nothing is removed, and the task is free again."""
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(public_id=record.public_id).first()
        if PurgeRecord.objects.filter(pk=record.pk, archive_sha256="").delete()[0] and task is not None:
            Task.objects.filter(pk=task.pk).update(held=False)


def _what_goes(task: Task) -> Iterator[Callable[[], int]]:
    """One function per table, which removes (or, for keys that point here, empties) some rows."""
    for pointer in pointers():
        yield _emptying(pointer.rows(task), pointer.field)
    for table in tables():
        yield _removing(table.rows(task))


def _emptying(rows: Rows, field: str) -> Callable[[], int]:
    return lambda: rows.model._base_manager.filter(pk__in=rows.values("pk")[:BATCH]).update(**{field: None})


def _removing(rows: Rows) -> Callable[[], int]:
    some: Rows = models.QuerySet(rows.model).filter(pk__in=rows.values("pk")[:BATCH])
    if rows.model is not Checkpoint:
        return lambda: some.all()._raw_delete(some.db)
    return lambda: _unlocked(some)


def _unlocked(rows: Rows) -> int:
    with journal_unlocked():
        return rows.all()._raw_delete(rows.db)


def _batch(task_pk: int, some: Callable[[], int]) -> int:
    """One short transaction; another run may have finished meanwhile, then there is nothing left to do."""
    try:
        with _locked(task_pk):
            return some()
    except NotFound:
        return 0


def _finish(task: Task, record: PurgeRecord) -> None:
    """What was written while the purge ran (a late report) goes with the task row itself."""
    try:
        with _locked(task.pk):
            for some in _what_goes(task):
                while some():
                    pass
            models.QuerySet(Task).filter(pk=task.pk)._raw_delete(connection.alias)
            PurgeRecord.objects.filter(pk=record.pk).update(completed=True, purged_at=timezone.now())
    except NotFound:
        log.info("another run finished this purge", extra={"task": task.public_id})


@contextmanager
def _locked(task_pk: int) -> Iterator[Task]:
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(pk=task_pk).first()
        if task is None:
            raise NotFound("This task does not exist (any more).")
        yield task


def _breathe() -> None:
    if connection.vendor == "sqlite":
        time.sleep(PAUSE)
