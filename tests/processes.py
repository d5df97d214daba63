"""Real processes for tests: web, workers, redis; started on the test database, ended with the test."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
Process = subprocess.Popen
T = TypeVar("T")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def until(look: Callable[[], T], seconds: float = 20, what: str = "it") -> T:
    """The first true answer of `look`, asked again and again."""
    deadline = time.monotonic() + seconds
    while not (answer := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {seconds} seconds")
        time.sleep(0.05)
    return answer


def answers(port: int) -> bool:
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0


class Processes:
    """Starts processes with one environment, each in a group of its own; `stop` ends what is left of them."""

    def __init__(self, env: dict[str, str], logs: Path) -> None:
        self.env = {**os.environ, "PYTHONUNBUFFERED": "1", **env}
        self.logs = logs
        self.running: list[Process] = []

    def start(self, *command: str | Path, name: str = "process", **env: str) -> Process:
        with (self.logs / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=ROOT,
                env={**self.env, **env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def log(self, name: str) -> str:
        return (self.logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def manage(self, *arguments: str, **env: str) -> Process:
        return self.start(sys.executable, "manage.py", *arguments, name=arguments[0], **env)

    def celery(self, *arguments: str, name: str = "celery", **env: str) -> Process:
        return self.start(sys.executable, "-m", "celery", "-q", "-A", "config", *arguments, name=name, **env)

    def worker(self, queue: str = "steps", **env: str) -> Process:
        quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        name = f"{queue}-{os.getpid()}-{len(self.running)}@test"
        arguments = ("worker", "-P", "threads", "-c", "4", "-Q", queue, "-n", name, *quiet)
        return self.celery(*arguments, name=f"worker-{queue}", **env)

    def web(self, port: int, **env: str) -> Process:
        options = ("--lifespan", "off", "--no-access-log", "--timeout-graceful-shutdown", "1")
        uvicorn = (sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", str(port))
        return self.start(*uvicorn, *options, name="web", **env)

    def kill(self, process: Process, number: int = signal.SIGKILL) -> None:
        """Sends a signal to the process and all that it started; waits for its end, unless it only pauses."""
        os.killpg(process.pid, number)
        if number not in {signal.SIGSTOP, signal.SIGCONT}:
            process.wait(20)

    def stop(self) -> None:
        for process in self.running:
            if process.poll() is None:
                self.kill(process)
