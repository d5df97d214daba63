"""Read a task's items from its source, in batches with a checkpoint each; a kill in the middle goes on."""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.db import DatabaseError

from taskboard import budget, lifecycle, secret_params, task_queue, workflow
from taskboard.change import Change
from taskboard.cleaning import Cleaner
from taskboard.engine import advance, reader
from taskboard.engine.results import WHATEVER
from taskboard.errors import BadInput, LeaseLost
from taskboard.keys import clean_key
from taskboard.models import Item, Kind, Task, TaskStatus
from taskboard.models.task import WHOLE_TASK
from taskboard.money import to_micro
from taskboard.outcomes import NewItem
from taskboard.workflow import WorkflowSpec

log = logging.getLogger(__name__)

BATCH = 500
BATCH_SECONDS = 1.0


class ReadingSource:
    """Implements taskboard.context.Reading."""

    def __init__(self, task: Task, stop: threading.Event) -> None:
        self.task_id, self.task_pk = task.public_id, task.pk
        self.params = secret_params.reveal(task)
        last = Item.objects.filter(task=task, position__gt=0).order_by("-position").first()
        self.after = last.key if last else ""
        self.count = last.position if last else 0
        self._stop = stop

    def pause(self, length: timedelta) -> None:
        """Wait between two fetches; ends early when the worker is told to stop."""
        self._stop.wait(length.total_seconds())

    def spend(self, amount: Decimal, source: str) -> None:
        """Charge what the reading itself costs."""
        with lifecycle.changing(self.task_pk, "reading") as change:
            budget.charge_task(change, to_micro(amount), f"reading:{source}")


def read_items(task_pk: int, stop: threading.Event) -> bool:
    """Read what is not read yet and let the task in when there is room; True when its steps may run."""
    task = Task.objects.filter(pk=task_pk).first()
    if task is None or task.held:  # gone by now: a message is only a hint
        return False
    if task.status == TaskStatus.PENDING and not task.items_read and not _read_all(task, stop):
        return False
    return task_queue.let_in(task_pk)


def _read_all(task: Task, stop: threading.Event) -> bool:
    me = reader.take(task)
    if not me:
        return False
    try:
        return _read(task, me, workflow.get(task.workflow), ReadingSource(task, stop), stop)
    except (LeaseLost, DatabaseError) as error:  # it is read on, by another one or later
        reader.leave(task, me)
        log.warning("reading was left", extra={"task": task.public_id, "reason": str(error)})
        return False
    except WHATEVER as error:  # the task could not start
        log.info("reading the items failed", exc_info=error, extra={"task": task.public_id})
        _could_not_start(task, str(error) or type(error).__name__)
        return False


def _read(task: Task, me: str, spec: WorkflowSpec, source: ReadingSource, stop: threading.Event) -> bool:
    position = source.count
    with reader.kept(task, me) as progress:
        for batch in _batches(spec.owner.items(source), progress):
            position = _store(task, me, spec, batch, position)
            if stop.is_set():
                reader.leave(task, me)
                return False
    with lifecycle.changing(task.pk, "reading") as change:
        reader.check_mine(change, me)
        _finish(change, spec, position)
    return True


def _batches(items: Iterable[NewItem], progress: reader.Progress) -> Iterator[list[NewItem]]:
    batch: list[NewItem] = []
    began = time.monotonic()
    for item in items:
        progress.made()
        batch.append(item)
        if len(batch) == BATCH or time.monotonic() - began > BATCH_SECONDS:
            yield batch
            batch, began = [], time.monotonic()
    if batch:
        yield batch


def _store(task: Task, me: str, spec: WorkflowSpec, batch: list[NewItem], position: int) -> int:
    with lifecycle.changing(task.pk, "reading") as change:
        reader.check_mine(change, me)
        new = _unseen(change, batch, position)
        items = [item for item, _source in new]
        lifecycle.add_items(change, items)
        lifecycle.open_steps(
            change, [advance.new_step(change, item, step) for item in items for step in spec.roots]
        )
        store_rows(change.task, [row for _item, source in new for row in source.rows])
        change.set(reader_until=change.now + reader.lease())
        last = items[-1].key if items else ""
        change.record(
            Kind.ITEMS, data={"added": len(items), "doubles": len(batch) - len(items), "last": last}
        )
        return position + len(items)


def _unseen(change: Change, batch: list[NewItem], position: int) -> list[tuple[Item, NewItem]]:
    """Items by their cleaned key, without those that are there already."""
    by_key = {_key(new): new for new in batch}
    there = set(Item.objects.filter(task=change.task, key__in=by_key).values_list("key", flat=True))
    fresh = [(key, new) for key, new in by_key.items() if key not in there]
    return [(_item(change, key, new, position + number), new) for number, (key, new) in enumerate(fresh, 1)]


def _key(new: NewItem) -> str:
    key = clean_key(new.key)
    if key in ("", WHOLE_TASK):
        raise BadInput(f"An item cannot have the key {key!r}; the workflow must give it another one.")
    return key


def _item(change: Change, key: str, new: NewItem, position: int) -> Item:
    clean = Cleaner()
    return Item(
        task=change.task, key=key, label=clean.text(new.label, 300), params=clean.json(dict(new.params)),
        position=position, updated_at=change.now,
    )  # fmt: skip


def store_rows(task: Task, rows: list[Any]) -> None:
    """A workflow's own rows go in the same transaction as the items they belong to."""
    by_model: dict[Any, list[Any]] = {}
    for row in rows:
        row.task = task
        by_model.setdefault(type(row), []).append(row)
    for model, same in by_model.items():
        model.objects.bulk_create(same, batch_size=1000)


def _finish(change: Change, spec: WorkflowSpec, count: int) -> None:
    if spec.task_steps:
        advance.whole_task_item(change)
    change.set(items_read=True, reader="", reader_until=None)
    change.record(Kind.ITEMS, data={"total": count, "finished": True})
    advance.follow_whole_task(change, spec)


def _could_not_start(task: Task, reason: str) -> None:
    with lifecycle.changing(task.pk, "reading") as change:
        change.set(reader="", reader_until=None)
        if change.task.status == TaskStatus.PENDING:
            lifecycle.move_task(change, TaskStatus.FAILED, Cleaner().text(reason, 1000))
