"""What can go wrong, as one method each: processes, broker, database, peer and people at random."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.models import User
from django.db import close_old_connections, connection

from approvals import decisions
from approvals.models import Approval
from taskboard.errors import TaskboardError
from taskboard.models import Task
from taskboard.steering import steer
from tests.crash.harness import SHAPES, Strike, beat, celery, worker
from tests.crash.moments import MOMENTS
from tests.crash.servers import Peer, Redis
from tests.postgres import Cluster
from tests.processes import Process, Processes

WORKERS, BEATS = 3, 2
MODES = ("well", "slow", "slow", "slow", "silent", "deaf", "broken", "busy", "twice")
LONGEST_SLEEP = 4.0
"""Longer than a lease; shorter than the patience of those who wait for a lock that the sleeper may hold."""
Action = Callable[[], None]
T = TypeVar("T")


class Havoc:
    """Everything that runs, and what can be done to it. All chance comes from `dice`."""

    def __init__(self, processes: Processes, peer: Peer, redis: Redis, cluster: Cluster | None) -> None:
        self.processes, self.peer, self.redis, self.cluster = processes, peer, redis, cluster
        self.dice = random.Random()  # noqa: S311 a game of chance that can be played again
        self.people: dict[str, User] = {}
        self.tasks: list[Task] = []
        self.env: dict[str, str] = {}
        self.workers: list[Process] = []
        self.beats: list[Process] = []
        self.asleep: set[int] = set()
        self.woken: set[int] = set()

    def actions(self) -> Sequence[tuple[Action, int]]:
        """Each with its weight."""
        server = [(self.restart_database, 1), (self.drop_connections, 1)] if self.cluster else []
        return [
            (self.kill_worker, 4), (self.kill_child, 3), (self.end_worker, 2), (self.put_to_sleep, 3),
            (self.strike, 4), (self.kill_beat, 1), (self.sweep_twice, 1), (self.change_peer, 4),
            (self.end_peer, 1), (self.lose_messages, 2), (self.stop_broker, 1), (self.pause, 2),
            (self.resume, 3), (self.cancel, 1), (self.decide, 4), *server,
        ]  # fmt: skip

    def one_thing(self) -> str:
        """Do something bad, or human; returns its name."""
        actions, weights = zip(*self.actions(), strict=True)
        (action,) = self.dice.choices(actions, weights)
        close_old_connections()
        action()
        if self.dice.random() < 0.7:
            self.replace_the_dead()
        return str(action.__name__)

    # --- Processes --------------------------------------------------------------------------------

    def use(self, broker: str) -> None:
        """All processes anew, on this broker."""
        for process in [*self.workers, *self.beats]:
            self._kill(process)
        self.workers, self.beats = [], []
        self.env = {"TASKBOARD_SLICE_SECONDS": "1"}
        if broker == "redis":
            self.env["CELERY_BROKER_URL"] = self.redis.url
        self.replace_the_dead()

    def replace_the_dead(self) -> None:
        """What a supervisor does."""
        self.workers = [one for one in self.workers if one.poll() is None]
        self.beats = [one for one in self.beats if one.poll() is None]
        while len(self.workers) < WORKERS:
            self.workers.append(self._worker())
        while len(self.beats) < BEATS:
            schedule = Path(settings.TASKBOARD_VAR) / f"beat-{len(self.beats)}"
            self.beats.append(beat(self.processes, "-s", str(schedule), **self.env))

    def kill_worker(self) -> None:
        self._kill(self._any(self.workers))

    def kill_child(self) -> None:
        pid = self._any(self.workers).pid
        with suppress(OSError):
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            os.kill(int(self._any(children or [str(pid)])), signal.SIGKILL)

    def end_worker(self) -> None:
        self._any(self.workers).send_signal(signal.SIGTERM)

    def put_to_sleep(self) -> None:
        """A process group, for a time that may be longer than its leases."""
        pid = self._any(self.workers).pid
        with suppress(OSError):
            self.woken |= {pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())}
            os.killpg(pid, signal.SIGSTOP)
            self.asleep.add(pid)
            # By a clock of its own: it may hold the very lock that the next thing waits for.
            threading.Timer(self.dice.uniform(0.3, LONGEST_SLEEP), self._wake, [pid]).start()

    def _wake(self, pid: int) -> None:
        if pid in self.asleep:
            self.asleep.discard(pid)
            with suppress(OSError):
                os.killpg(pid, signal.SIGCONT)

    def strike(self) -> None:
        """A further worker that comes to a bad end at one of the named moments."""
        moment = self._any(sorted(MOMENTS))
        self.workers.append(self._worker(**Strike(moment, by=self._any(("SIGKILL", "SIGTERM"))).env))

    def kill_beat(self) -> None:
        self._kill(self._any(self.beats))

    def sweep_twice(self) -> None:
        """At once, beside those of two beats."""
        for _ in range(2):
            worker(self.processes, "sweep", **self.env)

    # --- What they stand on -----------------------------------------------------------------------

    def change_peer(self) -> None:
        self.peer.store.tell(self._any(MODES))
        self.peer.store.tell("busy" if self.dice.random() < 0.2 else "well", "GET")

    def end_peer(self) -> None:
        """Its port is closed until `mend`."""
        if self.peer.process is not None and self.peer.process.poll() is None:
            self.peer.send(signal.SIGKILL)

    def lose_messages(self) -> None:
        """The broker forgets everything."""
        self.redis.send(signal.SIGKILL)
        self.redis.start()
        for message in (Path(settings.TASKBOARD_VAR) / "broker" / "messages").glob("*.msg"):
            message.unlink(missing_ok=True)

    def stop_broker(self) -> None:
        """It hangs, and comes back."""
        self.redis.send(signal.SIGSTOP)
        time.sleep(self.dice.uniform(0.2, 3))
        self.redis.send(signal.SIGCONT)

    def restart_database(self) -> None:
        if self.cluster is not None:
            connection.close()
            self.cluster.halt()
            time.sleep(self.dice.uniform(0, 2))
            self.cluster.launch()

    def drop_connections(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                " AND backend_type = 'client backend'"
            )

    def mend(self) -> None:
        """All is well again, but for what has happened."""
        close_old_connections()
        self.peer.store.tell("well")
        self.peer.store.tell("well", "GET")
        if self.peer.process is not None and self.peer.process.poll() is not None:
            self.peer.start()
        self.replace_the_dead()

    # --- People -----------------------------------------------------------------------------------

    def pause(self) -> None:
        with suppress(TaskboardError):
            steer.pause(self._task(), self.people["operator"])

    def resume(self) -> None:
        with suppress(TaskboardError):
            steer.resume(self._task(), self.people["operator"])

    def cancel(self) -> None:
        with suppress(TaskboardError):
            if self.dice.random() < 0.3:
                steer.cancel(self._task(), self.people["operator"], "enough")

    def decide(self) -> None:
        """One open question, of any task."""
        questions = list(Approval.objects.filter(status="open", kind="step").order_by("pk"))
        with suppress(TaskboardError):
            if questions:
                one = self._any(questions)
                verdict = "reject" if self.dice.random() < 0.2 else "approve"
                decisions.decide(one.pk, self.people["manager"], verdict, "chance", one.payload_sha256)

    def _task(self) -> Task:
        return Task.objects.get(pk=self._any(self.tasks).pk)

    def _any(self, things: Sequence[T]) -> T:
        return self.dice.choice(things)

    def _kill(self, process: Process) -> None:
        if process.poll() is None:
            self.asleep.discard(process.pid)
            self.processes.kill(process)

    def _worker(self, **env: str) -> Process:
        """Of any shape, or without Celery."""
        shape = self._any((*SHAPES, "plain"))
        if shape == "plain":
            return worker(self.processes, "work", **self.env, **env)
        return celery(self.processes, shape=shape, **self.env, **env)
