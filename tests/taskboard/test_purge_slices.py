"""A purge in slices: workers take turns at tasks, hand over in time, and what nobody is at is found."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import artifacts, hints, sweep
from taskboard.models import Artifact, PurgeRecord, Step
from taskboard.retention import archive, batches, purge
from tests.factories import make_finished_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The messages to the workers."""
    messages: list[Any] = []
    monkeypatch.setattr(hints, "soon", lambda *job, **_options: messages.append(job))
    return messages


def test_a_slice_ends_in_time_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch, sent: list[Any]) -> None:
    monkeypatch.setattr(batches, "MOST", 2)
    purge.begin(make_full_task(items=1).pk, "admin")
    slices = 0
    while not PurgeRecord.objects.get().completed:
        purge.carry_on(seconds=0)
        slices += 1
    assert slices > 10
    assert set(sent) == {("taskboard.purge",)}
    assert not Step.objects.exists()


def test_two_workers_take_different_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (purge.begin(make_finished_task().pk, "admin") for _ in range(2))
    write, taken = archive.write, []

    def at_work(task: Any) -> archive.Archive:
        taken.append(task.public_id)
        if len(taken) == 1:
            purge.carry_on()  # another worker, while this one writes
        return write(task)

    monkeypatch.setattr(archive, "write", at_work)
    purge.carry_on()
    assert taken == [first.public_id, second.public_id]
    assert PurgeRecord.objects.filter(completed=True).count() == 2


def test_a_purge_that_nobody_is_at_is_found_by_the_sweep(sent: list[Any]) -> None:
    record = purge.begin(make_finished_task().pk, "admin")
    sweep.sweep()
    assert ("taskboard.purge",) in sent
    sent.clear()
    PurgeRecord.objects.filter(pk=record.pk).update(busy_until=timezone.now() + timedelta(minutes=1))
    sweep.sweep()
    assert ("taskboard.purge",) not in sent


def test_a_task_that_cannot_be_archived_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    broken, fine = make_finished_task(), make_finished_task()
    for task in (broken, fine):
        purge.begin(task.pk, "admin")
    write = archive.write

    def full(task: Any) -> archive.Archive:
        if task.pk == broken.pk:
            raise OSError("No space left on device")
        return write(task)

    monkeypatch.setattr(archive, "write", full)
    purge.carry_on()
    assert PurgeRecord.objects.get().public_id == fine.public_id
    broken.refresh_from_db()
    assert broken.held is False


def test_files_that_are_gone_already_are_reported() -> None:
    task = make_full_task()
    place = Artifact.objects.get(task=task, managed=True).place
    artifacts.storage().delete(place)
    record = purge.purge_task(task.pk, "admin")
    assert (record.counts["missing"], record.counts["gone"]) == (1, [place])
    assert record.completed


@pytest.mark.parametrize(("seconds", "rows"), [(1.0, 100), (0.05, 200), (0.001, 400)])
def test_the_batches_keep_to_what_the_database_manages(seconds: float, rows: int) -> None:
    pace = batches.Pace()
    pace.took(seconds)
    assert pace.rows == rows
    for _ in range(20):
        pace.took(seconds)
    assert batches.FEWEST <= pace.rows <= batches.MOST
