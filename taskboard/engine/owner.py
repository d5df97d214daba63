"""Who holds a lease: a process that can be told from every other one, dead or alive."""

import os
import socket
from functools import cache
from itertools import count
from pathlib import Path

_turns = count(1)


@cache
def me() -> str:
    """This process: host, process-id namespace, pid and start time (a pid alone is used again)."""
    return _of(os.getpid())


def one_of_mine() -> str:
    """A holder within this process that can be told from its other ones."""
    return f"{me()}#{next(_turns)}"


def is_dead(owner: str) -> bool:
    """True only if the owner was on this machine and surely runs no more."""
    host, _, rest = owner.rpartition("/")
    if host != _host():
        return False
    pid, _, started = rest.partition("#")[0].partition("@")
    return not pid.isdigit() or _start_time(int(pid)) != started


def forget_after_fork() -> None:
    """A forked child is somebody else."""
    me.cache_clear()


def _of(pid: int) -> str:
    return f"{_host()}/{pid}@{_start_time(pid)}"


@cache
def _host() -> str:
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        namespace = ""
    return f"{socket.gethostname()[:60]}/{namespace}"


def _start_time(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "" if _is_gone(pid) else "?"
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


os.register_at_fork(after_in_child=forget_after_fork)
