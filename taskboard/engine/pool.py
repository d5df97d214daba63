"""Threads that run steps. A hung one is left behind; it never keeps the process from ending."""

import logging
import threading
from collections.abc import Callable
from queue import SimpleQueue

from django.db import connections

log = logging.getLogger(__name__)

Call = Callable[[], None]


class Pool:
    """A fixed number of daemon threads that take calls in order."""

    def __init__(self, size: int) -> None:
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._size = 0
        for _ in range(size):
            self.grow()

    def grow(self) -> None:
        """One more thread, for one that hangs."""
        self._size += 1
        threading.Thread(target=self._run, name=f"step-{self._size}", daemon=True).start()

    def submit(self, call: Call) -> None:
        self._calls.put(call)

    def close(self) -> None:
        """Let the threads end when they have nothing more to do."""
        for _ in range(self._size):
            self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                call()
            except Exception:  # a call reports its own ending; what is left is a fault of ours
                log.exception("a step's thread failed")
            finally:
                for connection in connections.all(initialized_only=True):
                    connection.close_if_unusable_or_obsolete()
        connections.close_all()
