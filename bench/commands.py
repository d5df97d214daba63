"""Commands of a benchmark: processes of ours on a database of the benchmark's own."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.postgres import Cluster

ROOT = Path(__file__).resolve().parent.parent
VAR = Path(tempfile.mkdtemp(prefix="taskboard-bench-"))
SETTINGS = {
    "TASKBOARD_VAR": str(VAR), "TASKBOARD_DOTENV": os.devnull, "LOG_LEVEL": "WARNING", "DATABASE_URL": "",
    "CELERY_BROKER_URL": "", "EMAIL_URL": "", "TASKBOARD_ENV": "", "PYTHONPATH": str(ROOT),
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
}  # fmt: skip


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a throw-away cluster with PostgreSQL's own durability."""
    cluster = Cluster.find()
    if cluster is None:
        sys.exit("PostgreSQL is not installed.")
    try:
        yield cluster.start()
    finally:
        cluster.stop()


def new_database(url: str, name: str) -> str:
    """The address of a further database in that cluster, migrated."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    address = f"{url.rpartition('/')[0]}/{name}"
    migrate(address)
    return address


def migrate(database: str) -> None:
    run([sys.executable, "manage.py", "migrate", "-v0"], DATABASE_URL=database)


def ours(verb: str, number: int, **env: str) -> dict[str, Any]:
    """What a process of ours tells of itself: `prepare` a task of so many items, or `work` on one."""
    return run([sys.executable, "-m", "bench.ours", verb, str(number)], **env)


def run(command: list[Any], **env: str) -> dict[str, Any]:
    """The JSON object that the command prints last, or an empty one."""
    process = start(command, **env)
    out = process.communicate()[0]
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed.")
    last = (out.splitlines() or [""])[-1]
    return dict(json.loads(last)) if last.startswith("{") else {}


def start(command: list[Any], **env: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, **SETTINGS, **env}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
