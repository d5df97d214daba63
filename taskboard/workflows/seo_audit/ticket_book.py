"""The embedded tracker: a ticket book in an SQLite file of its own, with transactions of its own."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard.outcomes import NotSent
from taskboard.workflows.seo_audit.ticket import Ticket

SCHEMA = """
CREATE TABLE IF NOT EXISTS ticket (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL
)"""
ADD = """
INSERT INTO ticket (key, title, body, created_at)
SELECT :key, :title, :body, :now WHERE NOT EXISTS (SELECT 1 FROM ticket WHERE key = :key)"""
ALL = "SELECT number, key, title, created_at FROM ticket"
_threads = threading.local()


class TicketBook:
    """Tickets T-1, T-2, …; what `create` has answered survives a power cut."""

    arrives_within = timedelta(0)
    link = ""
    where: StrOrPromise = gettext_lazy("To see whether the ticket is there, run: manage.py tickets {id}")

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, key: str, title: str, body: str) -> Ticket:
        """The ticket of that key: a new one, or the one that is there already."""
        book = self._book()
        with book:
            book.execute(
                ADD, {"key": key, "title": title, "body": body, "now": datetime.now(UTC).isoformat()}
            )
            return _ticket(book.execute(ALL + " WHERE key = ?", (key,)).fetchone())

    def find(self, key: str) -> Ticket | None:
        """The ticket of that key, if there is one."""
        row = self._book().execute(ALL + " WHERE key = ?", (key,)).fetchone()
        return _ticket(row) if row else None

    def all(self) -> Iterator[Ticket]:
        """All tickets, oldest first."""
        return map(_ticket, self._book().execute(ALL + " ORDER BY number").fetchall())

    def text(self, ticket_id: str) -> str:
        """What the ticket says; empty if there is none."""
        number = ticket_id.removeprefix("T-")
        row = self._book().execute("SELECT body FROM ticket WHERE number = ?", (number,)).fetchone()
        return str(row[0]) if row else ""

    def _book(self) -> sqlite3.Connection:
        """This thread's own connection; opening one for each ticket would take most of the time."""
        kept: dict[tuple[Path, int], sqlite3.Connection] = vars(_threads).setdefault("kept", {})
        place = (self.path, os.getpid())
        if place not in kept:
            kept[place] = _opened(self.path)
        return kept[place]


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        book = sqlite3.connect(path, timeout=20)
        book.execute("PRAGMA journal_mode=WAL")
        book.execute("PRAGMA synchronous=FULL")
        book.execute(SCHEMA)
    except sqlite3.Error as error:
        raise NotSent(f"The ticket book {path} cannot be opened: {error}.") from error
    return book


def _ticket(row: tuple[int, str, str, str]) -> Ticket:
    number, key, title, created_at = row
    return Ticket(f"T-{number}", key, title, datetime.fromisoformat(created_at))
