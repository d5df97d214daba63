"""Threads that run steps, and the way back of what they report."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from django.db import connections

log = logging.getLogger(__name__)

PRESS_SECONDS = 0.001
"""After this long without a free thread, the calls that wait get further threads."""
IDLE_SECONDS = 5.0
"""After this long without a call, a thread ends."""

Call = Callable[[], None]
T = TypeVar("T")


class Pool:
    """Daemon threads that take calls in order: one at first, more as soon as calls are kept waiting. Thus quick
    calls do not pay for waking a thread each. A hung one is left behind; it never keeps the process from ending."""

    def __init__(self, most: int) -> None:
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._most, self._started, self._ended = most, 0, 0
        self._taken = self._seen = 0
        self._lock = threading.Lock()

    def submit(self, call: Call) -> None:
        with self._lock:
            self._calls.put(call)
            if self._started == self._ended:
                self._grow(1)

    def press(self) -> bool:
        """Whether calls are waiting; where nothing has moved since this was asked last, there are twice as many
        threads now."""
        with self._lock:
            waiting = self._calls.qsize()
            if waiting and self._taken == self._seen:
                running = self._started - self._ended
                self._grow(min(waiting, running or 1, self._most - running))
            self._seen = self._taken
        return waiting > 0

    def replace_one(self) -> None:
        """One more thread, for one that hangs."""
        with self._lock:
            self._most += 1
            self._grow(1)

    def close(self) -> None:
        """Let the threads end when they have nothing more to do."""
        for _ in range(self._started - self._ended):
            self._calls.put(None)

    def _grow(self, number: int) -> None:
        for _ in range(number):
            self._started += 1
            threading.Thread(target=self._run, name=f"step-{self._started}", daemon=True).start()

    def _run(self) -> None:
        mine = connections.all()  # once: asking for them costs more than a quick call
        while (call := self._next()) is not None:
            self._taken += 1
            try:
                call()
            except Exception:  # a call reports its own ending; what is left is a fault of ours
                log.exception("a step's thread failed")
            finally:
                for connection in mine:
                    connection.close_if_unusable_or_obsolete()
        connections.close_all()

    def _next(self) -> Call | None:
        while True:
            try:
                return self._calls.get(timeout=IDLE_SECONDS)
            except Empty:
                if self._ends():
                    return None

    def _ends(self) -> bool:
        """Whether the thread that asks may end, and is counted as ended; not with a call that came just now."""
        with self._lock:
            ends = self._calls.empty()
            self._ended += ends
        return ends


class Reports(Generic[T]):
    """What has ended, on its way to the one who writes it down, who is woken once for many."""

    def __init__(self) -> None:
        self._there: deque[T] = deque()
        self._enough, self._wanted = threading.Event(), 1

    def __len__(self) -> int:
        return len(self._there)

    def put(self, one: T) -> None:
        self._there.append(one)
        if len(self._there) >= self._wanted:
            self._enough.set()

    def wait(self, wanted: int, seconds: float) -> None:
        """Until so many are there, at most so long."""
        self._wanted = wanted
        self._enough.clear()
        if len(self._there) < wanted:
            self._enough.wait(seconds)

    def take(self) -> list[T]:
        """All that are there."""
        return [self._there.popleft() for _ in range(len(self._there))]
