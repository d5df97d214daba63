"""One page per delay and task, however many threads of this process work on it."""

import threading
import time
from collections.abc import Callable

from taskboard.engine.work import stopping

_lock = threading.Lock()
_free_at: dict[str, float] = {}


def wait_turn(task_id: str, delay: float, sleep: Callable[[float], object] = stopping.wait) -> None:
    """Wait for the next turn of this task; the first one is at once. Each worker process keeps its own pace.
    A process that is told to stop waits no longer: what has begun is finished."""
    if delay > 0:
        sleep(_turn(task_id, delay, time.monotonic()))


def _turn(task_id: str, delay: float, now: float) -> float:
    """How long until the turn that is taken with this call."""
    with _lock:
        for over in [name for name, free in _free_at.items() if free <= now]:
            del _free_at[over]
        turn = _free_at.get(task_id, now)
        _free_at[task_id] = turn + delay
    return turn - now
