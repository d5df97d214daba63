"""Where a database is: enough to notice that it is a copy, and no more, so that a healthy one is never suspected.

Two signs on this machine: where the database was last used, and what this machine saw of it last. Why these two
and no others is told in docs/decisions.md.
"""

import json
import logging
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import connection

log = logging.getLogger(__name__)
MACHINE = Path("/etc/machine-id")
OF_POSTGRES = """
    SELECT oid::text || ':' || 'taskboard_task'::regclass::oid::text
    FROM pg_database WHERE datname = current_database()"""


def here() -> str:
    """The place of the database as it is now; empty where it cannot be told."""
    if connection.vendor == "sqlite":
        return _of_file(Path(str(connection.settings_dict["NAME"])))
    with connection.cursor() as cursor:
        cursor.execute(OF_POSTGRES)
        return f"postgresql:{cursor.fetchone()[0]}"


def is_same(before: str, now: str) -> bool:
    """Whether it may be the same database at the same place. A file that was moved keeps its number; one that was
    put on another disk keeps its path and machine."""
    if not before or not now or before == now:
        return True
    if not (before.startswith("[") and now.startswith("[")):
        return False
    machine, path, number = json.loads(before)
    machine_now, path_now, number_now = json.loads(now)
    if number == number_now:
        return True
    return path == path_now and (machine == machine_now or not machine or not machine_now)


@dataclass(frozen=True)
class Seen:
    """What this machine saw last: the installation's mark, and when it was last alive."""

    mark: str
    alive_at: datetime


def seen() -> Seen | None:
    """None where this machine has seen nothing yet, as after a start on an empty disk."""
    try:
        told = json.loads(_file().read_text(encoding="utf-8"))
        return Seen(str(told["mark"]), datetime.fromisoformat(told["alive_at"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("what this machine saw last cannot be read", extra={"error": str(error)})
        return None


def remember(mark: str, alive_at: datetime) -> None:
    """Draft and rename; a full disk must not keep jobs from running."""
    draft = _file().with_name(f".installation.{uuid.uuid4().hex}")
    try:
        draft.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({"mark": mark, "alive_at": alive_at.isoformat()}), encoding="utf-8")
        draft.replace(_file())
    except OSError as error:
        log.warning("what this machine saw last was not kept", extra={"error": str(error)})


def _file() -> Path:
    return Path(settings.TASKBOARD_VAR) / "installation.json"


def _of_file(path: Path) -> str:
    try:
        number = path.stat().st_ino
    except OSError:
        return ""
    return json.dumps([_machine(), str(path.resolve()), number])


def _machine() -> str:
    """Empty in most containers."""
    try:
        return MACHINE.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        return ""
