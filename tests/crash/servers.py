"""Servers beside Taskboard that a test ends, stops and starts again: the peer outside, a broker."""

import shutil
import sys
from pathlib import Path

from tests.crash.peer import Store
from tests.environment import missing
from tests.processes import Process, Processes, answers, free_port, until


class Server:
    """A process on a port of its own that can be ended and started again."""

    name = "server"

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes, self.folder = processes, folder
        self.port = free_port()
        self.process: Process | None = None
        self.start()

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> None:
        self.process = self.processes.start(*self.command(), name=self.name)
        until(lambda: answers(self.port), 60, f"the start of {self.name}")

    def send(self, number: int) -> None:
        if self.process is not None:
            self.processes.kill(self.process, number)


class Peer(Server):
    """The outside world; `store` says what it did and how it answers."""

    name = "peer"

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.store = Store(folder)
        super().__init__(processes, folder)

    def command(self) -> list[str]:
        return [sys.executable, "-m", "tests.crash.peer", str(self.folder), str(self.port)]

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class Redis(Server):
    """A broker that forgets everything when it is ended."""

    name = "redis"

    def command(self) -> list[str]:
        server = shutil.which("redis-server")
        if server is None:
            missing("redis-server")
        options = ("--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder))
        return [str(server), "--port", str(self.port), *options]

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"
