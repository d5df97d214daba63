"""A database that is away for all but the test itself: refused or ended connections, or a lock that nobody gets."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connection, connections

from taskboard.engine import outage
from tests.processes import until

END_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class Outages:
    """`away()` while nobody else can write; `noticed` counts the tries in vain."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.noticed = 0
        self._patch = patch
        bear = outage.Outage.bear

        def noticed(one: outage.Outage, error: Exception) -> None:
            self.noticed += 1
            bear(one, error)

        patch.setattr(outage.Outage, "bear", noticed)
        if connection.vendor == "sqlite":
            patch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
        else:
            patch.setattr(connection.pool, "timeout", 0.3)

    @contextmanager
    def away(self, tries: int = 3) -> Iterator[None]:
        """What the body does, others try to write so many times in vain; then the database is back."""
        how = _locked() if connection.vendor == "sqlite" else _closed()
        with how:
            yield
            until(lambda: self.noticed >= tries, what="the tries")

    def unanswered_commit(self, number: int) -> None:
        """That commit of another thread is made, and its answer lost."""
        wrapper = type(connections["default"])
        commit, test, made = wrapper._commit, threading.get_ident(), []

        def lost(one: Any) -> None:
            commit(one)
            if threading.get_ident() != test:
                made.append(1)
                if len(made) == number:
                    raise OperationalError("the answer was lost")

        self._patch.setattr(wrapper, "_commit", lost)


@contextmanager
def _locked() -> Iterator[None]:
    with closing(sqlite3.connect(connection.settings_dict["NAME"], uri=True, timeout=20)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


@contextmanager
def _closed() -> Iterator[None]:
    name = connection.ops.quote_name(str(connection.settings_dict["NAME"]))
    with connection._nodb_cursor() as admin:
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        try:
            end_all_others()
            yield
        finally:
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def end_all_others() -> None:
    """What a restart of the server does to its clients."""
    with connection.cursor() as cursor:
        cursor.execute(END_ALL)
