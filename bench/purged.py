"""Processes of the benchmark of the purge: `prepare` the tasks, `purge` them, `probe` what a writer waits meanwhile."""

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.noop import new_task, person  # noqa: E402
from taskboard import lifecycle  # noqa: E402
from taskboard.engine import read, work  # noqa: E402
from taskboard.models import Checkpoint, Item, Kind, Step, Task  # noqa: E402
from taskboard.retention import batches, begun, consent, disk, expiry, plans, purge  # noqa: E402
from taskboard.retention.preview import Preview  # noqa: E402

EVERY = 0.02
longest = [0.0]


def prepare(tasks: int, items: int) -> dict[str, Any]:
    first = new_task(items)
    read.read_items(first.pk, work.stopping)
    work.Slice(first.pk, until=time.monotonic() + 3600).run()
    first.refresh_from_db()
    assert first.status == "completed", first.status
    for number in range(1, tasks):
        _copy(Task.objects.get(pk=first.pk), number)
    past = timezone.now() - timedelta(days=1)
    Task.objects.update(expires_at=past)
    new_task(1)
    counted = (models.QuerySet(model).count() for model in (Task, Item, Step, Checkpoint))
    return {"rows": sum(counted)}


def purge_all(tasks: int, items: int) -> dict[str, Any]:
    before, admin = disk.now(), person("Administrators")
    lasting: list[float] = []
    batches.locked = purge.locked = _timed(batches.locked)  # type: ignore[assignment]
    began = time.perf_counter()
    while expiry.expired(timezone.now()).exists():
        plan = plans.make(admin, expiry.expired(timezone.now()))
        shown = time.perf_counter()
        consent.begin(plan, admin)
        lasting.append(time.perf_counter() - shown)
        memory = _carry_out()
    seconds = time.perf_counter() - began
    told = {
        "seconds": round(seconds, 1),
        "longest_lock_ms": round(1000 * longest[0]),
        "begin_ms": _ms(max(lasting)),
    }
    estimated = Preview.recorded(plan.sums).row_bytes
    return {
        **told,
        **memory,
        "bytes_before": before.bytes,
        "bytes_estimated": estimated,
        "free": disk.now().free,
    }


def _carry_out() -> dict[str, int]:
    """Memory after the first tenth of the tasks and at the end: it must not grow with what is purged."""
    records = list(begun.unfinished())
    for number, record in enumerate(records, 1):
        purge.carry_out(record)
        if number == max(1, len(records) // 10):
            early = _most_memory()
    return {"mb_after_a_tenth": early, "mb_at_the_end": _most_memory()}


def probe() -> dict[str, Any]:
    task = Task.objects.get(status="pending")
    waits = []
    while not (Path(settings.TASKBOARD_VAR) / "stop").exists():
        began = time.perf_counter()
        with lifecycle.changing(task.pk, "probe") as change:
            change.record(Kind.NOTE, data={"text": "Still here"})
        waits.append(time.perf_counter() - began)
        time.sleep(EVERY)
    parts = statistics.quantiles(waits, n=100)
    return {
        "writer_p50_ms": _ms(parts[49]),
        "writer_p95_ms": _ms(parts[94]),
        "writer_max_ms": _ms(max(waits)),
    }


def _timed(locked: Any) -> Any:
    @contextmanager
    def timed(task_pk: int) -> Iterator[Task]:
        with locked(task_pk) as task:
            began = time.perf_counter()
            yield task
            inner = time.perf_counter() - began
        longest[0] = max(longest[0], inner, time.perf_counter() - began)

    return timed


def _copy(task: Task, number: int) -> None:
    """The rows of that task once more, under another id."""
    old_pk, old_id = task.pk, task.public_id
    task.pk, task.public_id, task.submit_token = None, f"{old_id}_{number:04}", None
    task.save(force_insert=True)
    ids = {"task_id": str(task.pk)}
    _insert(Item, ids, f"FROM taskboard_item old WHERE old.task_id = {old_pk}")
    of_item = (
        "FROM taskboard_step old JOIN taskboard_item was ON was.id = old.item_id JOIN taskboard_item new"
    )
    key = f"replace(old.idempotency_key, '{old_id}', '{task.public_id}')"
    where = f"ON new.task_id = {task.pk} AND new.key = was.key WHERE old.task_id = {old_pk}"
    _insert(Step, {**ids, "item_id": "new.id", "idempotency_key": key}, f"{of_item} {where}")
    _insert(Checkpoint, ids, f"FROM taskboard_checkpoint old WHERE old.task_id = {old_pk}")
    Task.objects.filter(pk=task.pk).update(version=F("version") + 1)


def _insert(model: type[models.Model], given: dict[str, str], source: str) -> None:
    columns = [f.column for f in model._meta.concrete_fields if not f.primary_key]
    values = ", ".join(given.get(column, f'old."{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({names}) SELECT {values} {source}")


def _ms(seconds: float) -> int:
    return round(1000 * seconds)


def _most_memory() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    verb, *numbers = sys.argv[1:]
    verbs = {"prepare": prepare, "purge": purge_all, "probe": lambda *_: probe()}
    print(json.dumps(verbs[verb](*map(int, numbers))))
