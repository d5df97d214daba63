"""SQLite by its online backup: a consistent copy while others write, checked as a whole."""

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from django.db import connection

from taskboard.errors import WrongState

BUSY_SECONDS = 60
STAND_BY = "UPDATE taskboard_installation SET since = ?, why = 'restored', reason = '', backup_at = ?"


def dump(to: Path, made_at: datetime) -> None:
    """All pages in one step: writers go on beside it, and none can make it begin again. The copy stands by."""
    _copy(_file(), to)
    at = connection.ops.adapt_datetimefield_value(made_at)
    with closing(sqlite3.connect(to)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")  # so that it is one file
        with copy:
            copy.execute(STAND_BY, (at, at))
        _check(copy)


def load(dump: Path, made_at: datetime, *, replace: bool) -> None:
    """In one transaction of the database that is there, so that whoever has it open sees all of it or nothing."""
    connection.close()
    _copy(dump, _file())


def _file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(source, timeout=BUSY_SECONDS)) as before,
        closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as after,
    ):
        before.backup(after, pages=-1)


def _check(copy: sqlite3.Connection) -> None:
    found = [row[0] for row in copy.execute("PRAGMA integrity_check")]
    loose = copy.execute("PRAGMA foreign_key_check").fetchone()
    if found != ["ok"] or loose:
        raise WrongState(
            f"The copy of the database is not sound: {'; '.join(found[:3])} {loose or ''}".strip()
        )
