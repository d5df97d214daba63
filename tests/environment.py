"""What must be set before Django reads its settings; importing it sets it."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import django
import pytest
from django.conf import settings

from tests.postgres import Cluster

VAR = Path(tempfile.mkdtemp(prefix="taskboard-test-"))
STRICT = os.environ.get("TASKBOARD_TEST_STRICT", "") == "1"
CLUSTERS: list[Cluster] = []
"""The throw-away PostgreSQL, if this process started it."""


def missing(what: str) -> None:
    """On a developer's machine a skip, printed at the end; in CI a failure."""
    (pytest.fail if STRICT else pytest.skip)(f"{what} is not installed")


def _isolate() -> None:
    """Neither the developer's .env nor a running Taskboard may have a say in tests."""
    for name in [name for name in os.environ if name.startswith("TASKBOARD_") and "_TEST_" not in name]:
        del os.environ[name]
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "TASKBOARD_VAR": str(VAR),
        "TASKBOARD_DOTENV": os.devnull,
        "LOG_LEVEL": "WARNING",
        # Tests play many processes in one: threads that wait for a gate hold a connection each.
        "DATABASE_POOL_SIZE": "60",
    }
    atexit.register(shutil.rmtree, VAR, ignore_errors=True)


def _database() -> None:
    """`DATABASE_URL=postgres-throwaway` starts a cluster; processes of pytest-xdist inherit its address."""
    if os.environ.get("DATABASE_URL") != "postgres-throwaway":
        return
    cluster = Cluster.find()
    if cluster is None:
        pytest.exit("PostgreSQL is not installed, so its tests cannot run.", returncode=1 if STRICT else 0)
    os.environ["DATABASE_URL"] = cluster.start()
    CLUSTERS.append(cluster)
    atexit.register(cluster.stop)


_isolate()
_database()
django.setup()
settings.PASSWORD_HASHERS = ["tests.hashing.QuickHasher", *settings.PASSWORD_HASHERS]
