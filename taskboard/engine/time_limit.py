"""Asking the outside world for a step that nobody works on, for a bounded time; its lease goes on meanwhile."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from datetime import timedelta
from threading import Thread
from typing import TypeVar

from django.conf import settings
from django.db import connections

LONGEST = timedelta(minutes=2)
"""Whoever asks has others to ask for too."""
T = TypeVar("T")


def bounded(call: Callable[[], T], keep: Callable[[], None]) -> T | None:
    """What the call answers; None if it hangs: it is left behind. `keep` is called from time to time meanwhile."""
    answer: Future[T] = Future()
    Thread(target=_answer, args=(answer, call), name="asking", daemon=True).start()
    until = time.monotonic() + LONGEST.total_seconds()
    while wait([answer], _pause(until)).not_done:
        if time.monotonic() >= until:
            return None
        keep()
    return answer.result()


def _answer(answer: Future[T], call: Callable[[], T]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # noqa: BLE001 raised again where the answer is waited for
        answer.set_exception(error)
    finally:
        connections.close_all()


def _pause(until: float) -> float:
    """A third of a lease, or until the time is over."""
    return max(0, min(until - time.monotonic(), settings.TASKBOARD_LEASE_SECONDS / 3))
