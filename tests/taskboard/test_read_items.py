"""Reading the items of a task from its source, interrupted in every way."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from taskboard.engine import read, work
from taskboard.models import Checkpoint, Item, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests.long_workflows import INTERRUPTIONS
from tests.processes import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(read, "BATCH", 2)
    yield
    INTERRUPTIONS.clear()
    work.stopping.clear()


@pytest.fixture
def task(operator: Any) -> Task:
    return start_task("source", {"items": 7}, user=operator)


def keys(task: Task) -> list[str]:
    return list(Item.objects.filter(task=task).values_list("key", flat=True))


def finish(task: Task) -> Task:
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert list(differences(task)) == []
    return task


def all_there(task: Task) -> bool:
    return keys(task) == [f"caf\u00e9 {n}" for n in range(1, 8)] and task.status == "completed"


def test_keys_are_cleaned_and_doubles_are_counted(operator: Any) -> None:
    task = finish(start_task("source", {"items": 7, "mode": "twice"}, user=operator))
    assert all_there(task)
    rows = Checkpoint.objects.filter(task=task, kind="items", data__has_key="doubles")
    assert sum(row.data["doubles"] for row in rows) == 7


@pytest.mark.parametrize("mode", ["odd", "whole"])
def test_an_item_without_a_usable_key_is_refused_with_a_sentence(operator: Any, mode: str) -> None:
    task = finish(start_task("source", {"items": 1, "mode": mode}, user=operator))
    assert task.status == "failed"
    assert "must give it another one" in task.reason


def test_a_reading_that_was_stopped_goes_on_without_doubles(task: Task) -> None:
    INTERRUPTIONS[5] = work.stopping.set
    work.until_idle(task.pk)
    assert 0 < len(keys(task)) < 7
    work.stopping.clear()
    assert all_there(finish(task))


def test_a_reading_by_a_dead_process_is_taken_over_at_once(task: Task) -> None:
    INTERRUPTIONS[5] = work.stopping.set
    work.until_idle(task.pk)
    work.stopping.clear()
    host = read.reader.owner.me().rpartition("/")[0]
    until = timezone.now() + timedelta(hours=1)
    Task.objects.filter(pk=task.pk).update(reader=f"{host}/999999999@1#1", reader_until=until)
    assert all_there(finish(task))


def test_a_reader_that_lost_its_lease_does_no_harm(task: Task) -> None:
    """The one that took over reads to the end; the late one neither writes nor fails the task."""

    def overtaken() -> None:
        Task.objects.filter(pk=task.pk).update(reader_until=timezone.now() - timedelta(seconds=1))
        assert read.read_items(task.pk, work.stopping)

    INTERRUPTIONS[4] = overtaken
    read.read_items(task.pk, work.stopping)
    assert all_there(finish(task))


def test_one_that_lost_its_lease_behind_the_last_item_does_not_end_the_reading(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = start_task("source", {"items": 2}, user=operator)

    def overtaken(*arguments: Any) -> int:
        position = store(*arguments)
        Task.objects.filter(pk=task.pk).update(reader="there/1@1")
        return position

    store = read._store
    monkeypatch.setattr(read, "_store", overtaken)
    assert not read.read_items(task.pk, work.stopping)
    task.refresh_from_db()
    assert (len(keys(task)), task.items_read, task.reader) == (2, False, "there/1@1")


def test_a_cancel_ends_the_reading(task: Task, operator: Any) -> None:
    INTERRUPTIONS[5] = partial(steer.cancel, task, operator)
    finish(task)
    assert (task.status, task.item_counts) == ("cancelled", {"cancelled": len(keys(task))})
    assert len(keys(task)) < 7


def test_a_source_that_fails_behind_a_pause_leaves_the_task_paused(task: Task, operator: Any) -> None:
    def fails() -> None:
        steer.pause(task, operator)
        raise ValueError("the connection is gone")

    INTERRUPTIONS[5] = fails
    assert not read.read_items(task.pk, work.stopping)
    task.refresh_from_db()
    assert (task.status, task.reader) == ("paused", "")


def test_a_pause_ends_the_reading_and_a_resume_goes_on(task: Task, operator: Any) -> None:
    INTERRUPTIONS[5] = partial(steer.pause, task, operator)
    work.until_idle(task.pk)
    assert len(keys(task)) < 7
    steer.resume(task, operator)
    assert all_there(finish(task))


def test_a_database_that_is_away_for_a_moment_does_not_fail_the_task(task: Task) -> None:
    def away() -> None:
        raise OperationalError("the server closed the connection")

    INTERRUPTIONS[5] = away
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.status == "pending"
    assert all_there(finish(task))


def test_a_source_that_cannot_be_read_fails_the_task_with_its_reason(task: Task) -> None:
    def gone() -> None:
        raise FileNotFoundError("no such folder")

    INTERRUPTIONS[5] = gone
    finish(task)
    assert (task.status, task.reason) == ("failed", "no such folder")


def test_a_message_for_a_task_that_is_gone_changes_nothing() -> None:
    """LOST-04: a missing row never kills or loops a worker."""
    assert work.run_task(10**9) is False


def test_a_single_item_may_take_longer_than_the_lease(task: Task, settings: Any) -> None:
    """The lease goes on while the source is truly read, so no second reader begins."""
    settings.TASKBOARD_LEASE_SECONDS = 0.6

    def long() -> None:
        began = Task.objects.get(pk=task.pk).reader_until
        assert began is not None
        later = began + timedelta(seconds=1.5)
        until(lambda: (Task.objects.get(pk=task.pk).reader_until or began) > later, what="heartbeats")
        assert not read.read_items(task.pk, work.stopping)

    INTERRUPTIONS[4] = long
    assert all_there(finish(task))
    assert Checkpoint.objects.filter(task=task, kind="items", data__has_key="finished").count() == 1


def test_a_source_that_hangs_is_given_to_another_reader(
    task: Task, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.TASKBOARD_LEASE_SECONDS = 0.6
    monkeypatch.setattr(read.reader, "LONGEST_ITEM", timedelta(seconds=-1))

    def hang() -> None:
        until(lambda: read.read_items(task.pk, work.stopping), what="another reader")

    INTERRUPTIONS[4] = hang
    read.read_items(task.pk, work.stopping)
    assert all_there(finish(task))
