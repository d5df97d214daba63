"""Celery workers of every shape on every broker, struck in the middle of calls to a slow peer."""

import os
import signal
from typing import Any

import pytest

from approvals import decisions
from approvals.models import Approval
from taskboard.engine import work
from taskboard.models import Task
from taskboard.start import start_task
from tests.crash import calling  # noqa: F401 registers them
from tests.crash.harness import (
    Strike,
    age,
    beat,
    celery,
    comes_to,
    dies,
    ends,
    faults,
    kinds,
    recover,
    worker,
)
from tests.crash.servers import Peer
from tests.processes import Process, Processes, until

pytestmark = pytest.mark.slow

CASES = {
    ("threads", "folders"): (
        Strike("before the call of the peer", by="SIGSTOP"),
        Strike("during the call of the peer"),
        Strike("before the intent commit", by="SIGTERM"),
    ),
    ("prefork", "folders"): (
        Strike("after the intent commit", by="SIGSTOP"),
        Strike("after the call of the peer"),
        Strike("after verify", by="SIGTERM"),
    ),
    ("threads", "redis"): (
        Strike("after the intent commit", by="SIGSTOP"),
        Strike("after the executed row"),
        Strike("before the result commit", by="SIGTERM"),
    ),
    ("prefork", "redis"): (
        Strike("before the call of the peer", by="SIGSTOP"),
        Strike("before the result commit"),
        Strike("during the call of the peer", by="SIGTERM"),
    ),
}
SLEEPERS = {"threads": "threads", "prefork": "one child"}
"""Of those nobody stays awake."""
PICK_UP = (
    "between a decision and its pick-up",
    "while a decision is picked up",
    "after a decision was picked up",
)


@pytest.mark.parametrize(("shape", "broker"), CASES)
def test_one_after_the_other_is_struck_and_each_call_is_made_once(
    processes: Processes, operator: Any, peer: Peer, shape: str, broker: str, request: pytest.FixtureRequest
) -> None:
    """LOST-01, LOST-03, DUP-03, CONC-12: put to sleep for longer than its lease, killed, told to end; and no
    message tells the next one of the work."""
    env = {"CELERY_BROKER_URL": request.getfixturevalue("redis").url} if broker == "redis" else {}

    def struck_by(strike: Strike, shape: str = shape) -> Process:
        process = celery(processes, shape=shape, **env, **strike.env)
        until(strike.victim, 90, f"{strike.by} {strike.moment}")
        return process

    sleep, kill, end = CASES[shape, broker]
    ticking = beat(processes, **env)
    tasks = [started(operator, peer, items=1)]  # of one step at a time, so that its sleeper holds no lock
    sleeper = struck_by(sleep, SLEEPERS[shape])
    peer.store.tell("slow")
    tasks.append(started(operator, peer, items=6))
    processes.kill(struck_by(kill))
    ends(processes, struck_by(end))
    last = celery(processes, shape=shape, **env)
    for task in tasks:
        comes_to(task, "completed")
    os.kill(sleep.victim(), signal.SIGCONT)
    ends(processes, sleeper, last, ticking)
    for task in tasks:
        task.refresh_from_db()
        assert faults(task, peer.store.effects(woken=[sleep.victim()])) == []
    assert len(set(peer.store.effects())) == 14


def started(user: Any, peer: Peer, items: int) -> Task:
    task = start_task("calling", {"items": items, "peer": peer.address}, user=user)
    age(task)
    return task


def test_a_question_survives_whoever_dies_around_it(
    processes: Processes, operator: Any, manager: Any, peer: Peer
) -> None:
    """LOST-05, DUP-07: killed before and behind the question, and at each moment of the decision's pick-up."""
    task = start_task("paying", {"items": 2, "peer": peer.address}, user=operator)
    for moment in ("before the question is there", "while waiting for approval"):
        dies(processes, worker(processes, "work", **Strike(moment).env))
    until(lambda: idle(task) and asked(task).count() == 2, what="the questions")
    for one in asked(task):
        decisions.decide(one.pk, manager, "approve", "fine", one.payload_sha256)
    for moment in PICK_UP:
        dies(processes, worker(processes, "sweep", **Strike(moment).env))
    recover(task)
    assert (task.status, faults(task, peer.store.effects())) == ("completed", [])
    assert len(peer.store.calls()) == 2
    assert (
        kinds(task, kind__in=("asked", "decided", "picked_up"))
        == ["asked"] * 2 + ["decided"] * 2 + ["picked_up"] * 2
    )


def idle(task: Task) -> bool:
    work.until_idle(task.pk)
    return True


def asked(task: Task) -> Any:
    return Approval.objects.filter(task=task, status="open")
