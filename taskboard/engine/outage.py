"""The database is away for a while: what must be written is kept in memory and tried again."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from taskboard import lifecycle
from taskboard.change import Change

log = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError)
PATIENCE_SECONDS = 300.0
"""Longer than a lease: what a call has answered can still be written as long as nobody took its step over."""
SHORTEST, LONGEST = 0.05, 1.0
"""The pauses between two tries grow from the one to the other."""
T = TypeVar("T")


class Outage:
    """How long the database has been away for one who needs it."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._pause = SHORTEST

    def bear(self, error: Exception) -> None:
        """Wait a moment before the next try; raises the error when it has lasted too long, or when a transaction
        around this is lost with it."""
        now = time.monotonic()
        if connection.in_atomic_block:
            raise error
        if self._since is None:
            self._since = now
            log.warning("the database is away", extra={"error": str(error)})
        elif now - self._since > PATIENCE_SECONDS:
            raise error
        connection.close_if_unusable_or_obsolete()
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST)

    def end(self) -> None:
        """It answers."""
        self._since, self._pause = None, SHORTEST


def lost(error: BaseException) -> bool:
    """Whether the whole transaction at hand is lost with this error, and not only one of its statements."""
    if not isinstance(error, AWAY):
        return False
    if connection.vendor == "sqlite":
        return connection.connection is None or not connection.connection.in_transaction
    return not connection.is_usable()


def patiently(call: Callable[[], T]) -> T:
    """The answer of a call that needs the database and may be made again."""
    outage = Outage()
    while True:
        try:
            return call()
        except AWAY as error:
            outage.bear(error)


def changed(task_pk: int, actor: str, write: Callable[[Change], T]) -> T:
    """What `write` answers within a transaction on the task, which is made again until it is committed once."""
    made: list[tuple[Change, T]] = []

    def once() -> T:
        with lifecycle.changing(task_pk, actor) as change:
            if not (made and made[-1][0].was_made()):
                made.append((change, write(change)))
        return made[-1][1]

    return patiently(once)
