"""`kill -9` at every moment of a purge: the next run goes on, nothing is lost and nothing is left."""

import json
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import models

from taskboard import artifacts
from taskboard.models import Effect, PurgeRecord
from taskboard.retention import archive, reading
from taskboard.retention.tables import tables
from tests.crash.harness import dies, worker
from tests.processes import Processes
from tests.retention_rows import make_full_task

MOMENTS = [
    ("before the archive of a purge", 0),
    ("after the archive of a purge", 0),
    ("between two batches of a purge", 7),
    ("before the end of a purge", 0),
    ("after the end of a purge", 0),
]


@pytest.mark.parametrize(("moment", "skip"), MOMENTS)
def test_a_purge_that_dies_is_gone_on_with(
    processes: Processes, admin: Any, moment: str, skip: int, tmp_path: Any
) -> None:
    task, other = make_full_task(), make_full_task(on_hold=True, hold_reason="Audit")
    before = {table.label: table.rows(other).count() for table in tables()}
    dies(processes, worker(processes, "purge", "--as", "admin", CRASH_AT=moment, CRASH_SKIP=str(skip)))
    told = StringIO()
    call_command("purge", "--json", stdout=told)
    assert json.loads(told.getvalue())["tasks"] == (
        [] if moment.startswith("after the end") else [task.public_id]
    )
    assert not any(table.rows(task).exists() for table in tables())
    assert {table.label: table.rows(other).count() for table in tables()} == before
    record = PurgeRecord.objects.get()
    assert (record.public_id, record.completed, record.purged_by) == (task.public_id, True, "admin")
    assert record.plan is not None
    assert record.plan.state == "done"
    assert Effect.objects.filter(task=None, step=None).count() == 3
    assert list(artifacts.files(task.public_id)) == []
    assert archive.storage().listdir("")[1] == [record.archive]
    path = tmp_path / "back.json.gz"
    with archive.open_file(record) as file:
        path.write_bytes(file.read())
    assert reading.load(path, "admin").total == 3
    assert _orphans() == []


APPS = ("taskboard", "approvals", "seo_audit")


def _orphans() -> list[str]:
    """Rows that point at nothing."""
    found = []
    for model in apps.get_models():
        for key in model._meta.concrete_fields:
            if isinstance(key, models.ForeignKey) and key.remote_field.model._meta.app_label in APPS:
                there = models.QuerySet(key.remote_field.model).values("pk")
                lost = (
                    models.QuerySet(model).exclude(**{key.name: None}).exclude(**{f"{key.name}__in": there})
                )
                found += [model._meta.label] * lost.exists()
    return found
