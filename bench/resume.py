"""A worker killed with -9 at half of its work, and decisions that waiting steps go on with.

`make bench-resume` (ITEMS=2000 DECISIONS=100): real workers, once as installed (SQLite and folders) and once with
PostgreSQL and Redis. A worker that is killed is started again at once, as supervisor does. The last line is one
JSON object; times are in seconds, of decisions in milliseconds.
"""

import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import commands, lines
from tests.processes import Process, Processes, answers, free_port, until

LONG = 600
STEPS_PER_ITEM = 3


def main() -> None:
    items, decisions = int(os.environ.get("ITEMS", "2000")), int(os.environ.get("DECISIONS", "100"))
    figures: dict[str, dict[str, Any]] = {}
    with commands.postgres() as url, redis() as broker:
        embedded = {"DATABASE_URL": f"sqlite:///{commands.VAR / 'resume.sqlite3'}", "CELERY_BROKER_URL": ""}
        for name, env in {
            "embedded": embedded,
            "redis": {"DATABASE_URL": url, "CELERY_BROKER_URL": broker},
        }.items():
            commands.migrate(env["DATABASE_URL"])
            with site(env) as workers:
                figures[name] = decided(workers, decisions)
            with site(env, BENCH_HOLD=str(half(items))) as workers:
                figures[name] |= killed(workers, items)
            print(f"{name}: {figures[name]}", flush=True)
    print(json.dumps(figures))


class Workers:
    """The worker processes of an installation, with a folder of their own."""

    def __init__(self, env: dict[str, str], folder: Path, first: dict[str, str]) -> None:
        self.env = {**commands.SETTINGS, **env, "TASKBOARD_VAR": str(folder)}
        self.processes = Processes(self.env, folder)
        self.folder = folder
        self.worker = self.start("steps", "-c", "8", **first)
        self.start("short", "-c", "4")
        self.processes.celery("beat", "--pidfile=", name="beat")

    def start(self, queue: str, *options: str, **env: str) -> "Process[bytes]":
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        arguments = ("worker", "-P", "threads", "-Q", queue, "-n", f"{queue}@bench", *options, *quiet)
        command = (sys.executable, "-m", "celery", "-q", "-A", "bench.app", *arguments)
        return self.processes.start(*command, name=queue, **env)

    def lines(self) -> list[tuple[float, str]]:
        return lines.read(self.folder)

    def told(self, verb: str, number: int) -> dict[str, Any]:
        return commands.run([sys.executable, "-m", "bench.people", verb, str(number)], **self.env)


@contextmanager
def site(env: dict[str, str], **first: str) -> Iterator[Workers]:
    """An installation at work; `first` is only for the worker that it begins with."""
    folder = Path(tempfile.mkdtemp(prefix="resume-", dir=commands.VAR))
    workers = Workers(env, folder, first)
    try:
        yield workers
    finally:
        workers.processes.stop()


@contextmanager
def redis() -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        sys.exit("Redis is not installed.")
    port, folder = free_port(), Path(tempfile.mkdtemp(prefix="redis-", dir=commands.VAR))
    processes = Processes({}, folder)
    processes.start(server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", name="redis")
    try:
        until(lambda: answers(port), what="the start of redis")
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        processes.stop()


def half(items: int) -> int:
    return items * STEPS_PER_ITEM // 2


def killed(workers: Workers, items: int) -> dict[str, Any]:
    """Killed at half, started again at once: until the first step after it, and until the end. So that a few items
    are not through before the kill, the calls of the first worker do not come back from then on."""
    steps = items * STEPS_PER_ITEM
    workers.told("start", items)
    until(lambda: len(workers.lines()) >= half(items), LONG, "half of the work")
    workers.processes.kill(workers.worker, signal.SIGKILL)
    at, there = time.time(), len(workers.lines())
    workers.start("steps", "-c", "8")
    until(lambda: len(workers.lines()) > there, LONG, "the first step after the kill")
    first = workers.lines()[there][0]
    until(lambda: len(keys(workers)) == steps, LONG, "the end of the work")
    return {
        "killed_after_steps": there,
        "first_step_after_kill_s": round(first - at, 2),
        "end_after_kill_s": round(workers.lines()[-1][0] - at, 2),
        "effects_doubled": sum(number - 1 for number in keys(workers).values()),
    }


def keys(workers: Workers) -> Counter[str]:
    return Counter(key for _at, key in workers.lines())


def decided(workers: Workers, number: int) -> dict[str, Any]:
    """From the commit of a decision to the first line of the step's function, one after the other."""
    waits = sorted(1000 * wait for wait in workers.told("decide", number)["waits"])
    return {
        "decisions": len(waits),
        "decided_to_running_p50_ms": round(statistics.median(waits)),
        "decided_to_running_p95_ms": round(waits[int(len(waits) * 0.95) - 1]),
    }


if __name__ == "__main__":
    main()
