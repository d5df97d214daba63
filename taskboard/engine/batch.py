"""What one transaction of a slice writes, kept until it is known to be written."""

from collections.abc import Sequence
from typing import Any

from taskboard.change import Change
from taskboard.engine.claim import Claimed
from taskboard.engine.record import Ended


class Batch:
    """Attempts that have ended, and what the transaction that writes them down begins."""

    def __init__(self, ended: Sequence[Ended]) -> None:
        self.ended = ended
        self.begun: list[Claimed] = []
        self.new: list[Claimed] = []
        rows = [row for one in ended for row in (one.claimed.step, one.claimed.item)]
        self._stood: list[tuple[Any, dict[str, Any]]] = [(row, vars(row).copy()) for row in rows]
        self._change: Change | None = None

    def is_written(self, change: Change) -> bool:
        """Whether an earlier try was committed, though nobody heard of it. If not, all stands as before it, to be
        written by this change."""
        if self._change is not None:
            if self._change.was_made():
                return True
            for row, stood in reversed(self._stood):
                vars(row).update(stood)
        self._change = change
        return False

    @property
    def is_worth_keeping(self) -> bool:
        """Something would be lost with it: an answer, or the knowledge of what was begun."""
        return bool(self.ended) or (self._change is not None and self._change.is_flushed)
