"""The broker, the database, the disk and the clock fail under load; the workers stay, and the work goes on."""

import math
import resource
import signal
import time
from typing import Any

import pytest
from celery import Celery
from django.db import connection
from django.utils import timezone

from config import broker
from taskboard import hints
from taskboard.models import Heartbeat, Task
from taskboard.start import start_task
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash import calling  # noqa: F401 registers them
from tests.crash.harness import Strike, age, beat, celery, check, comes_to, ends, faults, kinds, worker
from tests.crash.servers import Peer, Redis
from tests.outages import end_all_others
from tests.processes import Process, Processes, until

pytestmark = pytest.mark.slow


def done(task: Task) -> int:
    return Task.objects.get(pk=task.pk).steps_in("done")


def does(task: Task, goal: int) -> None:
    until(lambda: done(task) >= goal, 90, f"{goal} steps")


def test_a_broker_that_restarts_under_load_neither_loses_nor_doubles(
    processes: Processes, operator: Any, redis: Redis
) -> None:
    """STUCK-01, LOST-03: it forgets everything three times within moments, hangs, and is watched by two beats."""
    env = {"CELERY_BROKER_URL": redis.url, "TASKBOARD_SLICE_SECONDS": "1"}
    task = start_task("naps", {"items": 80}, user=operator)
    age(task)
    beats = [beat(processes, "-s", f"{redis.folder}/beat-{number}", **env) for number in (1, 2)]
    running = celery(processes, **env)
    does(task, 10)
    for _ in range(3):
        redis.send(signal.SIGKILL)
        redis.start()
    does(task, done(task) + 10)
    redis.send(signal.SIGSTOP)
    time.sleep(0.8)
    redis.send(signal.SIGCONT)
    comes_to(task, "completed")
    check(task)
    assert [process.poll() for process in (running, *beats)] == [None] * 3


def test_nobody_waits_for_a_broker_that_hangs(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """STUCK-01: a page gives its hint up after seconds; the sweep finds what it would have announced."""
    redis.send(signal.SIGSTOP)
    with Celery("other", broker=redis.url, set_as_current=False) as other:
        other.conf.broker_transport_options = broker.options(redis.url, redis.folder)
        monkeypatch.setattr(hints, "current_app", other)
        began = time.monotonic()
        hints.soon("taskboard.run_task", 1)
    assert time.monotonic() - began < 30
    assert "hint lost" in caplog.text


def test_a_database_that_ends_all_connections_is_worked_with_again(
    processes: Processes, operator: Any
) -> None:
    """STUCK-11: what a restart of PostgreSQL does to a worker, between intent and result and when idle."""
    if connection.vendor != "postgresql":
        pytest.skip("only a server can end connections")
    task = start_task("naps", {"items": 60}, user=operator)
    age(task)
    running, ticking = celery(processes), beat(processes)
    for goal in (5, 20, 60):
        does(task, goal)
        end_all_others()
    comes_to(task, "completed")
    check(task)
    again = start_task("naps", {"items": 3}, user=operator)
    age(again)
    comes_to(again, "completed")
    assert (running.poll(), ticking.poll()) == (None, None)
    ends(processes, running)


def test_a_worker_that_sleeps_inside_a_transaction_does_not_keep_the_others_waiting(
    processes: Processes, operator: Any
) -> None:
    """CONC-12: it holds the lock of its task; the server ends its session."""
    if connection.vendor != "postgresql":
        pytest.skip("only a server can end a session")
    soon = "?options=-c%20idle_in_transaction_session_timeout%3D2000"
    task = start_task("linear", {"items": 5}, user=operator)
    strike = Strike("before the result commit", by="SIGSTOP")
    url = f"{processes.env['DATABASE_URL']}{soon}"
    sleeper = worker(processes, DATABASE_URL=url, **strike.env)
    until(strike.victim, 60, "its sleep")
    age(task)
    running, ticking = celery(processes), beat(processes)
    comes_to(task, "completed")
    processes.kill(sleeper, signal.SIGCONT)
    sleeper.wait(60)
    check(task)
    ends(processes, running, ticking)


def test_a_full_disk_is_waited_for(processes: Processes, operator: Any) -> None:
    """Nothing can be written for a while, neither rows nor messages nor logs; then it can."""
    if connection.vendor != "sqlite":
        pytest.skip("the server's disk is not the worker's")
    task = start_task("naps", {"items": 50}, user=operator)
    age(task)
    running, ticking = celery(processes), beat(processes)
    does(task, 5)
    fills(running, 0)
    fills(ticking, 0)
    before = done(task)
    time.sleep(0.9)
    assert done(task) <= before + 2  # what was just being written
    fills(running, resource.RLIM_INFINITY)
    fills(ticking, resource.RLIM_INFINITY)
    comes_to(task, "completed")
    check(task)
    assert (running.poll(), ticking.poll()) == (None, None)


def fills(process: Process, room: int) -> None:
    """No file of this process may grow beyond so many bytes."""
    _soft, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (room, hard))


def test_a_clock_that_jumps_takes_no_step_from_a_worker_that_lives(
    processes: Processes, operator: Any, peer: Peer
) -> None:
    """An hour ahead, when every lease is over at once, and back, when the next sweep would be an hour away."""
    peer.store.tell("slow")
    task = start_task("calling", {"items": 12, "peer": peer.address}, user=operator)
    age(task)
    clock = peer.folder / "clock"
    running, ticking = celery(processes), beat(processes)
    until(peer.store.calls, 60, "the first call")
    for wrong in (3600, 0):
        clock.write_text(str(wrong))
        until(lambda wrong=wrong: abs(swept_at() - wrong) < 60, 60, "a sweep by the new time")
    comes_to(task, "completed")
    task.refresh_from_db()
    assert faults(task, peer.store.effects()) == []
    assert "interrupted" not in kinds(task)
    assert len(peer.store.calls()) == 24
    assert (running.poll(), ticking.poll()) == (None, None)


def swept_at() -> float:
    """How many seconds from now."""
    last = Heartbeat.objects.filter(role="beat").order_by("-seen_at").first()
    return (last.seen_at - timezone.now()).total_seconds() if last else math.inf
