"""The crawl delay holds for the whole task, not for each of its threads."""

import threading
import time

from taskboard.workflows.seo_audit.pace import wait_turn


def test_threads_take_turns() -> None:
    """The waits of four threads that come at the same time are 0, 1, 2 and 3 delays."""
    waits: list[float] = []
    threads = [threading.Thread(target=wait_turn, args=("task_a", 60, waits.append)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [round(wait / 60) for wait in sorted(waits)] == [0, 1, 2, 3]


def test_each_task_has_a_pace_of_its_own() -> None:
    waits: list[float] = []
    for task in ("task_b", "task_c"):
        wait_turn(task, 60, waits.append)
    assert waits == [0, 0]


def test_a_turn_long_ago_is_forgotten() -> None:
    waits: list[float] = []
    wait_turn("task_d", 0.01, waits.append)
    time.sleep(0.02)
    wait_turn("task_d", 0.01, waits.append)
    assert waits == [0, 0]
