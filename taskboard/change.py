"""One writing transaction on one task: its lock, its counters, its journal rows."""

import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone

from taskboard import journal, movelog
from taskboard.models import Freeze, ItemStatus, Task
from taskboard.models.task import SETTLED_ITEMS


class Change:
    """Made by `lifecycle.changing`, which locks the task row first and writes everything here at the end.
    Ordinals, counters and the version come from the locked row, so the journal has no gaps."""

    def __init__(self, task: Task, actor: str) -> None:
        self.task = task
        self.actor = actor
        self.began = time.monotonic()
        self.now: datetime = timezone.now()
        self.touched = False
        self.held_back: Mapping[str, Freeze] | None = None
        """The steps that a frozen system holds back, once they were asked for; see `frozen.steps`."""
        self._fields: set[str] = set()
        self._entries: list[tuple[Any, ...]] = []
        self._last: tuple[Any, ...] | None = None
        self._counts = {
            "items": dict(task.counts.get("items", {})),
            "steps": {name: dict(per) for name, per in task.counts.get("steps", {}).items()},
        }

    def record(
        self,
        kind: str,
        *,
        item: str = "",
        step: str = "",
        attempt: int = 0,
        data: Mapping[str, Any] | None = None,
        actor: str = "",
        at: datetime | None = None,
    ) -> None:
        """Append a journal row; it is written when the transaction ends. One that moved a step says so in
        data["to"], and is the task's last checkpoint."""
        task, told = self.task, data or {}
        task.last_ordinal += 1
        row = (
            task.pk,
            task.last_ordinal,
            at or self.now,
            kind,
            item,
            step,
            attempt,
            actor or self.actor,
            told,
        )
        self._entries.append(row)
        if step and "to" in told:
            self.set(last_checkpoint=f"{item}.{step}.{told['to']}")

    def set(self, **fields: Any) -> None:
        """Columns of the task to write with the rest. A status is set by lifecycle alone."""
        for name, value in fields.items():
            setattr(self.task, name, value)
            self._fields.add(name)

    def count_item(self, before: str | None, after: str | None, number: int = 1) -> None:
        """Items went from one status to another; None stands for not there."""
        _shift(self._counts["items"], before, after, number)
        self._keep_counts()

    def count_step(self, name: str, before: str | None, after: str | None, number: int = 1) -> None:
        """Steps of that name went from one status to another; None stands for not there."""
        _shift(self._counts["steps"].setdefault(name, {}), before, after, number)
        self._keep_counts()

    def count_cost(self, name: str, micro: int) -> None:
        """Steps of that name cost so much more."""
        costs = {**self.task.step_costs, name: self.task.step_costs.get(name, 0) + micro}
        self.set(counts={**self.task.counts, "costs": costs})

    def spend(self, micro: int) -> None:
        """The ledger grew by so much."""
        self.set(spent_micro=self.task.spent_micro + micro)

    def reserve(self, micro: int) -> None:
        """Set this much more aside (negative: release it)."""
        self.set(reserved_micro=self.task.reserved_micro + micro)

    def flush(self) -> None:
        """Write the journal rows and the task's columns."""
        if not self._entries and not self._fields:
            return
        journal.append(self._entries)
        self._last = self._entries[-1] if self._entries else self._last
        movelog.tell(self.task.public_id, self._entries)
        if "counts" in self._fields:
            self.set(**digest(self._counts["items"]))
        self.set(updated_at=self.now, last_ordinal=self.task.last_ordinal)
        values = {name: getattr(self.task, name) for name in self._fields}
        Task.objects.filter(pk=self.task.pk).update(version=F("version") + 1, **values)
        self.task.version += 1
        self._entries, self._fields = [], set()

    @property
    def is_flushed(self) -> bool:
        """Whether it got so far that it may have been committed, with journal rows."""
        return self._last is not None

    def was_made(self) -> bool:
        """Whether it was committed, though the answer to that was lost: its last journal row is there. To be asked
        in a later transaction that holds the task's lock."""
        return self._last is not None and journal.is_there(self._last)

    def _keep_counts(self) -> None:
        self.touched = True
        self.set(counts={**self.task.counts, **self._counts})


def digest(items: Mapping[str, int]) -> dict[str, int]:
    """What lists sort and filter by, which no database reads out of JSON fast enough."""
    settled, total = sum(items.get(status, 0) for status in SETTLED_ITEMS), sum(items.values())
    progress = 1000 * settled // total if total else 0
    stuck = items.get(ItemStatus.BLOCKED, 0) + items.get(ItemStatus.FAILED, 0)
    return {"progress": progress, "stuck_items": stuck}


def _shift(per_status: dict[str, int], before: str | None, after: str | None, number: int) -> None:
    if before is not None:
        per_status[before] = per_status.get(before, 0) - number
        if not per_status[before]:
            del per_status[before]
    if after is not None:
        per_status[after] = per_status.get(after, 0) + number
