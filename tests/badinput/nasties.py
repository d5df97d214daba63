"""Text that breaks things, how it is sent, and how an answer to it is judged."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.http import HttpResponse, QueryDict
from django.test import Client

from taskboard.models import Task
from tests.addresses import finished

NUL = "a\x00b"
"""The one that PostgreSQL alone refuses, in whatever it is compared with; so it is tried everywhere."""
ALWAYS = (
    NUL,
    "\ud800",
    "9223372036854775808",
    "²",
    "a\r\nBcc: all@example.org\r\n\r\ndata: x",
    "(" * 3000,
)
SOMETIMES = (
    "", " ", "-1", "0", "1_000", "１２", "9" * 400, "1e309", "NaN", "-0.0000001", "0x10", "true", "null",
    "2026-13-45", "0000-00-00", "9999-12-31T23:59:59+14:00", "0001-01-01", "24:00", "P1000000000D",
    '=HYPERLINK("http://x.example/?"&A1)', "@SUM(1)", "\t=1", "\u202etxt.exe\u202c", "\ufeff", "\u200b\u200d",
    "<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "{{7*7}}{% debug %}", "%s%n%(x)s{0}{x}",
    "'; DROP TABLE taskboard_task; --", "%' OR 1=1", "../../../../etc/passwd", "..\\..\\x", "http://[::1", "//evil",
    "javascript:alert(1)", "{" * 2000, "[" * 100_000, '{"a":' * 5000, "💥" * 500, "é" * 5000, "x" * 300_000,
    "\n" * 5000, ":", "|", ",", "a" * 200 + "\ud83d", "group:", "user:99999999999999999999",
    "\x1b[31m", "\x7f\x85\u2028",
)  # fmt: skip
VALID = {
    "reason": "It has to be so", "text": "Look closer", "external_id": "T-1", "limit_usd": "5", "outcome": "approve",
    "verb": "up", "action": "retry", "kind": "failed", "severity": "high", "to": "group:Managers", "days": "7",
    "language": "en", "time_zone": "UTC", "q": "page", "show": "open", "all": "1", "as": "jsonl", "source": "sample",
    "name": "A name", "code": "123456", "username": "somebody", "password": "secret", "since": "2026-09-01",
    "until": "2026-09-30", "goal": "Audit", "items": "a.html", "unsure": "ask", "how": "anywhere",
}  # fmt: skip
"""What a form takes, where "1" would not do; so the field beside it is looked at too."""
COUNTED_ELSEWHERE = {"sessions", "axes", "admin"}
_turn = count()


def some() -> list[str]:
    """The next few of those that matter most, and of the others: over a run all have their turn in many places."""
    turn = next(_turn)
    most = [ALWAYS[(turn + step) % len(ALWAYS)] for step in range(2)]
    return [*most, *(SOMETIMES[(2 * turn + step) % len(SOMETIMES)] for step in range(2))]


def encoded(values: Mapping[str, str]) -> str:
    """As a browser would send it, and lone surrogates as no browser would: bytes that are no UTF-8."""
    return "&".join(
        f"{quote(name)}={quote(value, safe='', errors='surrogatepass')}" for name, value in values.items()
    )


class Reader:
    """Which names a view asks of what was sent."""

    METHODS = ("get", "getlist", "__getitem__", "__contains__")

    def __init__(self) -> None:
        self.names: set[str] = set()

    @contextmanager
    def listening(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            for method in self.METHODS:
                patch.setattr(QueryDict, method, self._heard(getattr(QueryDict, method)))
            yield

    def _heard(self, original: Any) -> Any:
        def heard(query: QueryDict, name: Any, *rest: Any, **more: Any) -> Any:
            self.names.add(str(name))
            return original(query, name, *rest, **more)

        return heard


def names_read(client: Client, method: str, url: str) -> list[str]:
    """Found by asking, with what it takes so far, until nothing new is read."""
    found = Reader()
    for _ in range(4):
        known = set(found.names)
        with found.listening():
            send(client, method, url, {name: VALID.get(name, "1") for name in sorted(known)})
        found.names -= {"csrfmiddlewaretoken", "_method"}
        if found.names == known:
            break
    return sorted(found.names)


def send(client: Client, method: str, url: str, values: Mapping[str, str]) -> tuple[HttpResponse, bool]:
    """The answer, and whether something was stored; afterwards it is as if it had not been sent."""
    cookies = copy(client.cookies)  # signing out, too, is as if it had not been
    with transaction.atomic():
        before = fingerprint()
        text = encoded(values)
        if method == "GET":
            response = finished(client.get(url, QUERY_STRING=text))
        else:
            kind = "application/x-www-form-urlencoded"
            response = finished(client.post(url, text, content_type=kind))
        stored = response.status_code < 500 and fingerprint() != before
        transaction.set_rollback(True)
    client.cookies = cookies
    return response, stored


def fault(response: HttpResponse, stored: bool) -> str:
    """What is wrong with an answer; empty if nothing is."""
    if response.status_code >= 500:
        return f"{response.status_code}: {getattr(response, 'exc_info', '') and response.exc_info[1]!r:.200}"
    if response.status_code < 400:
        return ""
    if not response.streaming and len(response.content.strip()) < 10:
        return f"{response.status_code} without a sentence"
    return f"{response.status_code}, and yet something was stored" if stored else ""


def fingerprint() -> tuple[Any, ...]:
    """How many rows each table has, and how often tasks changed."""
    models = [one for one in apps.get_models() if one._meta.app_label not in COUNTED_ELSEWHERE]
    tables = [
        model._meta.db_table for model in models if not model._meta.db_table.startswith("taskboard_login")
    ]
    counts = ", ".join(f"(SELECT COUNT(*) FROM {table})" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}, (SELECT SUM(version) FROM {Task._meta.db_table})")
        return tuple(cursor.fetchone())


def report(faults: Iterable[str]) -> str:
    """Each once, the first thirty."""
    return "\n".join(list(dict.fromkeys(faults))[:30])
