"""A purge removes all of a task and nothing else, whatever happens in the middle."""

import json
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from taskboard import artifacts, lifecycle
from taskboard.errors import WrongState
from taskboard.models import Checkpoint, Effect, Kind, PurgeRecord, Step, StepStatus, Task, TaskStatus
from taskboard.retention import archive, batches, begun, hold, purge
from taskboard.retention.preview import preview
from taskboard.retention.tables import tables
from tests.factories import make_finished_task, make_item, make_step, make_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db


def rows() -> dict[str, int]:
    return {
        model._meta.label_lower: models.QuerySet(model).count()
        for label in ("taskboard", "approvals", "seo_audit")
        for model in apps.get_app_config(label).get_models()
    }


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("purge", *arguments, stdout=out)
    return out.getvalue()


class Killed(BaseException):
    """As if the process had been killed: nothing catches it."""


def test_everything_of_the_task_goes_and_nothing_of_another() -> None:
    other = make_full_task()
    before = rows()
    task = make_full_task()
    record = purge.purge_task(task.pk, "admin")
    after = rows()
    assert {label: n - before[label] for label, n in after.items() if n != before[label]} == {
        "taskboard.effect": 3, "taskboard.purgerecord": 1, "taskboard.auditentry": 2,
    }  # fmt: skip
    assert not list(artifacts.files(task.public_id))
    assert len(list(artifacts.files(other.public_id))) == 2
    assert record.completed


def test_the_record_says_what_went_and_what_it_had_cost() -> None:
    task = make_full_task(goal="诊断 200 pages")
    seen = preview(task)
    record = purge.purge_task(task.pk, "admin")
    assert (record.public_id, record.goal, record.purged_by) == (task.public_id, task.goal, "admin")
    assert (record.spent_micro, record.finished_at) == (150_000, task.finished_at)
    assert record.counts == {**seen.as_json(), "items": {"done": 3}, "usage": record.counts["usage"]}
    assert [one["usd"] for one in record.counts["usage"]] == ["0.15"]
    assert record.removed == seen.total
    assert len(record.archive_sha256) == 64


def test_effects_stay_without_their_task() -> None:
    task = make_full_task()
    purge.purge_task(task.pk, "admin")
    assert Effect.objects.filter(task=None, step=None, external_id="T-1").count() == 3


def test_a_task_that_continued_it_stays() -> None:
    task = make_full_task()
    follower = make_task(continues=task, status=TaskStatus.COMPLETED)
    purge.purge_task(task.pk, "admin")
    follower.refresh_from_db()
    assert follower.continues is None


def test_it_refuses_what_has_not_expired() -> None:
    running, held, open_one = make_task(), make_finished_task(), make_finished_task()
    hold.hold(held.pk, "admin", "Audit")
    make_step(make_item(open_one), status=StepStatus.UNKNOWN)
    for task in (running, held, open_one):
        with pytest.raises(WrongState):
            purge.purge_task(task.pk, "admin")
    assert (Task.objects.count(), PurgeRecord.objects.count()) == (3, 0)


@pytest.mark.parametrize("after", range(0, 26, 2))
def test_killed_at_any_point_the_next_run_goes_on(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    monkeypatch.setattr(batches, "MOST", 2)
    task = make_full_task()
    seen, done = preview(task), 0

    def dying() -> None:
        nonlocal done
        done += 1
        if done > after:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(batches, "breathe", dying)
        with pytest.raises(Killed):
            purge.purge_task(task.pk, "admin")
    assert purge.carry_out(begun.unfinished().get())
    record = PurgeRecord.objects.get()
    assert (record.completed, record.counts["rows"]) == (True, seen.rows)
    assert not any(table.rows(task).exists() for table in tables())


def test_killed_before_the_archive_the_next_run_writes_it() -> None:
    task = make_full_task()
    purge.begin(task.pk, "admin")
    assert purge.purge_task(task.pk, "someone else").purged_by == "admin"


def test_once_begun_nothing_works_on_the_task_and_it_cannot_be_held_when_rows_may_be_gone() -> None:
    task = make_full_task()
    record = purge.begin(task.pk, "admin")
    task.refresh_from_db()
    assert task.held
    PurgeRecord.objects.filter(pk=record.pk).update(archive_sha256="0" * 64)
    with pytest.raises(WrongState, match="has begun"):
        hold.hold(task.pk, "admin", "Audit")


def test_a_hold_stops_what_has_begun_and_is_not_archived() -> None:
    task = make_full_task()
    record = purge.begin(task.pk, "admin")
    hold.hold(task.pk, "admin", "Audit")
    assert purge.carry_out(record)
    task.refresh_from_db()
    assert (task.held, task.on_hold) == (False, True)
    assert not PurgeRecord.objects.exists()


def test_a_hold_while_the_archive_is_written_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    task, write = make_full_task(), archive.write

    def held_meanwhile(task: Task) -> archive.Archive:
        kept = write(task)
        hold.hold(task.pk, "admin", "Audit")
        return kept

    monkeypatch.setattr(archive, "write", held_meanwhile)
    purge.carry_out(purge.begin(task.pk, "admin"))
    assert Step.objects.filter(task=task).count() == 3
    assert not archive.storage().listdir("")[1]


def test_two_runs_at_once_keep_one_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_full_task()
    record = purge.begin(task.pk, "admin")
    write = purge.archive.write

    def second(task: Task) -> Any:
        write(task)
        monkeypatch.setattr(purge.archive, "write", write)
        purge.carry_out(PurgeRecord.objects.get())
        return purge.archive.Archive("other.json.gz", "0" * 64)

    monkeypatch.setattr(purge.archive, "write", second)
    purge.carry_out(record)
    assert record.completed
    assert record.archive != "other.json.gz"


def test_what_is_written_meanwhile_goes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_full_task()
    finish = purge._finish

    def late(task: Task, record: PurgeRecord) -> None:
        with lifecycle.changing(task.pk, "worker") as change:
            change.record(Kind.LATE, data={"external_id": "T-9"})
        finish(task, record)

    monkeypatch.setattr(purge, "_finish", late)
    assert purge.purge_task(task.pk, "admin").completed
    assert not Checkpoint.objects.exists()


def test_no_transaction_removes_more_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST", 2)
    with CaptureQueriesContext(connection) as seen:
        purge.purge_task(make_full_task(items=5).pk, "admin")
    told = [query["sql"] for query in seen]
    deletes = [sql for sql in told if sql.startswith("DELETE") and "LIMIT" in sql]
    assert deletes
    assert all("LIMIT 2" in sql for sql in deletes)


@pytest.mark.django_db(transaction=True)
def test_it_works_with_real_transactions() -> None:
    task = make_full_task()
    assert purge.purge_task(task.pk, "admin").completed
    assert not any(table.rows(task).exists() for table in tables())
    assert Effect.objects.filter(task=None, step=None).count() == 3


def test_the_command_purges_what_has_expired_and_says_what_it_kept() -> None:
    gone, held = make_full_task(), make_finished_task()
    hold.hold(held.pk, "admin", "Audit")
    told = json.loads(command("--json"))
    assert (told["tasks"], told["held"]) == (
        [gone.public_id], [{"task": held.public_id, "why": "It is on hold: Audit"}],
    )  # fmt: skip
    assert told["rows"]["taskboard.item"] == 3
    assert told["archives"][0]["sha256"] == PurgeRecord.objects.get().archive_sha256
    assert "Nothing has expired." in command()


def test_a_dry_run_changes_nothing() -> None:
    task = make_full_task()
    before = rows()
    told = json.loads(command("--dry-run", "--json"))
    assert (told["dry_run"], told["tasks"], told["archives"]) == (True, [task.public_id], [])
    assert f"{task.public_id}: would be purged." in command("--dry-run")
    assert rows() == before
    assert told["reclaimed"]["file_bytes"] == 0


def test_the_command_takes_one_task_or_a_date(admin: Any) -> None:
    first, second = make_finished_task(), make_finished_task()
    assert json.loads(command("--json", "--before", "2026-09-17"))["tasks"] == []
    assert json.loads(command("--json", "--task", second.public_id, "--as", "admin"))["tasks"] == [
        second.public_id
    ]
    assert json.loads(command("--json", "--before", "2026-09-18"))["tasks"] == [first.public_id]
    assert list(PurgeRecord.objects.values_list("purged_by", flat=True)) == ["command line", "admin"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--task", "task_x"], "There is no task"),
        (["--task", "running"], "not finished"),
        (["--as", "ops"], "only administrators"),
        (["--as", "nobody"], "There is no user"),
        (["--before", "soon"], "not a date"),
        (["--before", "2026-13-45"], "not a date"),
    ],
)
def test_the_command_refuses_with_a_sentence(operator: Any, arguments: list[str], sentence: str) -> None:
    make_task(public_id="running")
    with pytest.raises(CommandError, match=sentence):
        command(*arguments)
    assert Step.objects.count() == 0
