"""`make up`: prepares what lives under var/, then hands over to supervisor, which keeps processes alive."""

import fcntl
import hashlib
import os
import socket
import sys
from pathlib import Path
from typing import IO
from zlib import crc32

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import CommandError, call_command

from config import announce, env
from taskboard.errors import TaskboardError

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent


def main() -> None:
    django.setup()
    port, demo = env.number("PORT", 8000, 1, 65535), env.flag("DEMO", default=True)
    address = f"http://127.0.0.1:{port}/"
    var = settings.TASKBOARD_VAR
    lock = only_one(var, address)
    refuse_used_port(port)
    os.environ.update(surroundings(var, port))
    print("Taskboard is starting …", flush=True)
    prepare(var, demo=demo)
    append_only(sys.stdout.fileno())
    announce.aside(port, var, lock)
    os.set_inheritable(lock.fileno(), True)  # held by supervisor for as long as it lives
    root = ["--user=root"] if os.geteuid() == 0 else []
    os.execv(BIN / "supervisord", ["supervisord", "-n", "-c", str(ROOT / "config/supervisord.conf"), *root])


def only_one(var: Path, address: str) -> IO[str]:
    """A lock, unlike a number in a file, is gone when its holder is."""
    for name in ("run", "logs"):
        (var / name).mkdir(exist_ok=True)
    lock = (var / "run" / "up.lock").open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        sys.exit(f"Taskboard is already running at {lock.read().strip()}; end that one first, with Ctrl-C.")
    lock.truncate(0)
    lock.write(address)
    lock.flush()
    return lock


def refuse_used_port(port: int) -> None:
    with socket.socket() as attempt:
        attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            attempt.bind(("127.0.0.1", port))
        except PermissionError:
            sys.exit(f"Port {port} is reserved for root. Choose another one: make up PORT=8000")
        except OSError:
            other = port % 60000 + 1
            sys.exit(f"Port {port} is in use by another program. Choose another one: make up PORT={other}")


def append_only(descriptor: int) -> None:
    """Several processes write to it; in a plain file (`make up > log`) they would overwrite one another."""
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)


def surroundings(var: Path, port: int) -> dict[str, str]:
    """What supervisord.conf and the processes read."""
    return {
        # Celery warns root for the sake of pickle, which is not accepted here.
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PORT": str(port),
        "PYTHONUNBUFFERED": "1",
        "LOG_ERRORS_TO_STDOUT": "1",
        "TASKBOARD_BASE_URL": os.environ.get("TASKBOARD_BASE_URL") or f"http://127.0.0.1:{port}",
        "TASKBOARD_BIN": str(BIN),
        "TASKBOARD_INSTANCE": f"{crc32(str(var).encode()):08x}",
        "TASKBOARD_STOP_SECONDS": str(settings.TASKBOARD_SLICE_SECONDS + 10),
        "TASKBOARD_VAR": str(var),
    }


def prepare(var: Path, *, demo: bool) -> None:
    call_command("migrate", verbosity=0, interactive=False)
    collect_static(var / "run" / "static-files")
    if settings.PRODUCTION:
        return
    call_command("demousers")
    first_start = var / "run" / "first-start"
    if demo and not first_start.exists():
        start_sample()
    first_start.touch()


def collect_static(stamp: Path) -> None:
    """Compressing takes seconds, so only after a change."""
    listed = (storage.path(name) for finder in get_finders() for name, storage in finder.list([]))
    facts = sorted(f"{path} {Path(path).stat().st_mtime_ns}" for path in listed)
    now = hashlib.sha256("\n".join(facts).encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == now):
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
        stamp.write_text(now)


def start_sample() -> None:
    """The audit of the bundled sample site, slow enough to be watched."""
    params = [
        f"--param={param}"
        for param in ("source=sample", "crawl_delay=3", "approve_over=5", "price_per_page=0.05")
    ]
    try:
        call_command("starttask", "seo-audit", "--budget=5", "--as=ops", *params)
    except (CommandError, TaskboardError) as error:
        print(f"The sample audit was not started: {error}", file=sys.stderr)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
