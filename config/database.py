"""DATABASE_URL as Django's dictionary, with the options that each database needs here."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from environ import Env

from config.env import refuse

SQLITE = {
    "transaction_mode": "IMMEDIATE",  # read-then-write transactions otherwise fail at once with "locked"
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
    " PRAGMA cache_size=-16000",
}

# A worker that is stopped inside a transaction holds its task's lock: the server ends its session.
POSTGRES = "-c idle_in_transaction_session_timeout=60000"


def database(url: str, pool_size: int) -> dict[str, Any]:
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        return _sqlite(Env.db_url_config(url))
    if scheme in {"postgres", "postgresql"}:
        return _postgres(Env.db_url_config(url), pool_size)
    return refuse(
        "DATABASE_URL",
        _without_password(url),
        "sqlite:////folder/file.sqlite3 or postgresql://user:password@host:5432/name",
    )


def _without_password(url: str) -> str:
    """Enough to recognise what was read, whatever its form."""
    return re.sub(r"(?i)(password=)[^&\s]*", r"\1…", re.sub(r":.*@", ":…@", url))


def _sqlite(parsed: dict[str, Any]) -> dict[str, Any]:
    """Tests use a file too: the browser tests run a second process on it."""
    path = Path(parsed["NAME"])
    return {
        **parsed,
        "OPTIONS": {**SQLITE, **parsed.get("OPTIONS", {})},
        "TEST": {"NAME": str(path.with_name(f"test-{path.name}"))},
    }


def _postgres(parsed: dict[str, Any], pool_size: int) -> dict[str, Any]:
    # A short time for reconnecting: after it the next request tries at once, instead of waiting out a growing pause.
    pool = {"min_size": 0, "max_size": pool_size, "timeout": 10, "reconnect_timeout": 2}
    return {
        **parsed,
        "ENGINE": "config.postgres",
        "CONN_MAX_AGE": 0,  # the pool keeps connections, not the thread
        "OPTIONS": {"pool": pool, "options": POSTGRES, **parsed.get("OPTIONS", {})},
    }
