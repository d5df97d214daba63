"""`make up`: one sentence for what is in the way, then processes that come back when they are killed."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from config import announce
from tests.processes import Process, Processes, answers, free_port, until

UP = (sys.executable, "-m", "config.up")


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Processes]:
    env = {"TASKBOARD_VAR": str(tmp_path / "var"), "DATABASE_URL": "", "DEMO": "0", "LOG_LEVEL": "INFO"}
    made = Processes(env, tmp_path)
    yield made
    for process in made.running:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def refused(started: Processes, port: int, **env: str) -> str:
    process = started.start(*UP, name="refused", PORT=str(port), **env)
    assert process.wait(120) == 1
    said = started.log("refused").strip()
    assert len(said.splitlines()) == 1
    return said


def up(started: Processes, port: int, name: str = "up") -> Process:
    process = started.start(*UP, name=name, PORT=str(port))
    until(lambda: "Taskboard is at" in started.log(name) or process.poll() is not None, 180, "the start")
    assert process.poll() is None, started.log(name)
    assert answers(port)  # it is not said before
    return process


def worker_of(supervisor: Process) -> int:
    found = subprocess.run(
        ["pgrep", "-P", str(supervisor.pid), "-f", "Q steps"], capture_output=True, text=True, check=True
    )
    return int(found.stdout.split()[0])


def test_a_port_in_use_is_said(started: Processes) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"Port {port} is in use by another program." in refused(started, port)


def test_a_folder_that_cannot_be_made_is_said(started: Processes) -> None:
    assert "TASKBOARD_VAR" in refused(started, free_port(), TASKBOARD_VAR="/dev/null/var")


def test_a_bad_demo_setting_changes_nothing(started: Processes, tmp_path: Path) -> None:
    """The sample audit would otherwise be lost for good."""
    assert "The setting DEMO is 'banana'" in refused(started, free_port(), DEMO="banana")
    assert not (tmp_path / "var/run/first-start").exists()


def test_a_server_that_does_not_come_up_is_said_with_its_log(tmp_path: Path) -> None:
    port = free_port()
    told = announce.news(port, tmp_path, os.getpid(), limit=0.1)
    assert told.startswith(f"Taskboard does not answer at http://127.0.0.1:{port}/ after 0 seconds;")
    assert str(tmp_path / "logs/web.log") in told


def test_nothing_is_said_of_one_that_was_ended_before(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert announce.news(free_port(), tmp_path, ended.pid, limit=60) == ""


@pytest.mark.slow
def test_it_starts_comes_back_and_ends(started: Processes, tmp_path: Path) -> None:
    port = free_port()
    process = up(started, port)
    assert f"http://127.0.0.1:{port}/" in started.log("up")
    assert re.search(r"ops\b", started.log("up"))

    assert f"already running at http://127.0.0.1:{port}/" in refused(started, free_port())

    log = tmp_path / "var/logs/worker.log"
    until(lambda: log.read_text().count(" ready.") == 1, 120, "the start of the worker")
    os.kill(worker_of(process), signal.SIGKILL)
    until(lambda: log.read_text().count(" ready.") == 2, 120, "the restart of the worker")

    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
    assert not answers(port)
    assert "Traceback" not in started.log("up")
    up(started, port, "again")
    assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=60).text == "ok\n"
