"""Calls that wait get threads; quick ones share one."""

import threading
from collections.abc import Callable, Iterator

import pytest

from taskboard.engine import pool as pools
from taskboard.engine.pool import PRESS_SECONDS, Pool, Reports
from tests.processes import until


class Gate:
    """Calls that hang until it opens."""

    def __init__(self) -> None:
        self.open, self.inside = threading.Event(), 0
        self._lock = threading.Lock()

    def call(self) -> None:
        with self._lock:
            self.inside += 1
        self.open.wait(60)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


def press_until(pool: Pool, reached: Callable[[], bool]) -> None:
    """As the slice does while it waits for the first report."""

    def look() -> bool:
        pool.press()
        threading.Event().wait(PRESS_SECONDS)
        return reached()

    until(look, 60)


def test_quick_calls_share_a_thread() -> None:
    pool, names = Pool(50), Reports[str]()
    for _ in range(50):
        pool.submit(lambda: names.put(threading.current_thread().name))
    names.wait(50, 60)
    assert len(set(names.take())) == 1
    pool.close()


def test_slow_calls_run_side_by_side(gate: Gate) -> None:
    pool = Pool(12)
    for _ in range(20):
        pool.submit(gate.call)
    press_until(pool, lambda: gate.inside == 12)
    pool.press()
    assert gate.inside == 12
    gate.open.set()
    until(lambda: gate.inside == 20, 60)
    pool.close()


def test_a_call_behind_one_that_hangs_gets_a_thread(gate: Gate) -> None:
    pool, done = Pool(1), threading.Event()
    pool.submit(gate.call)
    until(lambda: gate.inside == 1)
    pool.replace_one()
    pool.submit(done.set)
    assert done.wait(60)
    pool.close()


def test_threads_that_ended_for_want_of_calls_are_replaced(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "IDLE_SECONDS", 0.02)
    pool, done = Pool(2), threading.Event()
    for _ in range(2):
        pool.submit(gate.call)
    press_until(pool, lambda: gate.inside == 2)
    gate.open.set()
    until(lambda: pool._started == pool._ended, 60)
    gate.open.clear()
    pool.submit(gate.call)
    until(lambda: gate.inside == 3, 60)
    pool.submit(done.set)
    press_until(pool, done.is_set)
    pool.close()


def fail() -> None:
    raise ValueError("a fault")


def test_a_call_that_fails_leaves_the_thread_at_work(caplog: pytest.LogCaptureFixture) -> None:
    pool, done = Pool(1), threading.Event()
    pool.submit(fail)
    pool.submit(done.set)
    assert done.wait(60)
    assert "a step's thread failed" in caplog.text
    pool.close()


def test_reports_are_waited_for_together() -> None:
    reports = Reports[int]()
    for number in range(3):
        reports.put(number)
    reports.wait(3, 60)
    reports.wait(4, 0.01)
    assert (len(reports), reports.take(), len(reports)) == (3, [0, 1, 2], 0)
