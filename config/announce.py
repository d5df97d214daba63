"""Says where Taskboard is once it answers there, or which log tells why it does not."""

import http.client
import os
import sys
import time
from pathlib import Path
from typing import IO

LIMIT = 120.0
"""Seconds; a slow machine needs some to import everything."""
PAUSE = 0.1


def aside(port: int, var: Path, lock: IO[str]) -> None:
    """In a process of its own: this one becomes supervisor. A grandchild, so that supervisor has no child that it
    did not start; the lock is for supervisor alone."""
    supervisor = os.getpid()
    if child := os.fork():
        os.waitpid(child, 0)
        return
    if os.fork():
        os._exit(0)
    try:
        lock.close()
        if told := news(port, var, supervisor):
            sys.stdout.write(f"\n{told}\n\n")
            sys.stdout.flush()
    except KeyboardInterrupt:  # Ctrl-C reaches every process of the terminal
        pass
    finally:
        os._exit(0)


def news(port: int, var: Path, supervisor: int, limit: float = LIMIT) -> str:
    """What there is to say, once there is something; nothing if it was ended before that."""
    address, logs = f"http://127.0.0.1:{port}/", var / "logs"
    until = time.monotonic() + limit
    while time.monotonic() < until:
        if not lives(supervisor):
            return ""
        if answers(port):
            return f"Taskboard is at {address} (Ctrl-C ends it; its logs are in {logs})."
        time.sleep(PAUSE)
    return (
        f"Taskboard does not answer at {address} after {limit:.0f} seconds; {logs / 'web.log'} tells why."
        " It is tried again and again until you end it with Ctrl-C."
    )


def answers(port: int) -> bool:
    """Whatever it says: the port was free before."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status > 0
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True
