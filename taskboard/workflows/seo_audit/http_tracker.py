"""A tracker behind an HTTP API: JSON, an `Idempotency-Key` header, and a look-up by that key."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard.outcomes import NotSent
from taskboard.workflows.seo_audit import phrases
from taskboard.workflows.seo_audit.ticket import Refused, Ticket

LONGEST_WAIT = timedelta(hours=1)
PRINTABLE = "".join(map(chr, range(33, 127))).replace("%", "")


class HttpTracker:
    """`POST {url}/tickets` and `GET {url}/tickets?key=…`; the token goes along as a bearer token."""

    arrives_within = timedelta(seconds=30)
    where: StrOrPromise = gettext_lazy("Search the tracker for the key of this step: the ticket carries it.")

    def __init__(self, url: str, token: str = "", timeout: float = 15.0) -> None:
        headers = {"Accept": "application/json", "User-Agent": "Taskboard"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._options: dict[str, Any] = {"headers": headers, "timeout": timeout, "trust_env": False}
        self._tickets = f"{url.rstrip('/')}/tickets"
        self.link = f"{_without_password(self._tickets)}/{{external_id}}"

    def create(self, key: str, title: str, body: str) -> Ticket:
        """The ticket of that key; the tracker answers a repeated key with the ticket it made before."""
        wire = _on_the_wire(key)
        told = {"key": wire, "title": title, "body": body}
        answer = self._send("POST", json=told, headers={"Idempotency-Key": wire})
        return _ticket(_checked(answer).json(), key)

    def find(self, key: str) -> Ticket | None:
        """The ticket of that key, if there is one."""
        answer = self._send("GET", params={"key": _on_the_wire(key)})
        if answer.status_code == 404:
            return None
        found = _checked(answer).json()
        tickets = found if isinstance(found, list) else found.get("tickets", [])
        return next(
            (_ticket(ticket, key) for ticket in tickets if ticket.get("key") == _on_the_wire(key)), None
        )

    def _send(self, method: str, **options: Any) -> httpx.Response:
        try:
            with httpx.Client(**self._options) as client:
                return client.request(method, self._tickets, **options)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise NotSent(phrases.NO_TRACKER(error=error)) from error


def _without_password(address: str) -> str:
    """What a page may show."""
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _on_the_wire(key: str) -> str:
    """A header holds only ASCII: other letters of a key are percent-encoded, there and in the look-up."""
    return quote(key, safe=PRINTABLE)


def _checked(answer: httpx.Response) -> httpx.Response:
    """What the status means: come back later (nothing was taken), a final no, or an answer."""
    if answer.status_code == 429 or (answer.status_code == 503 and "Retry-After" in answer.headers):
        raise NotSent(phrases.TRACKER_BUSY(), retry_after=_pause(answer))
    if 400 <= answer.status_code < 500:
        raise Refused(phrases.TICKET_REFUSED(why=_sentence(answer)))
    return answer.raise_for_status()


def _pause(answer: httpx.Response) -> timedelta | None:
    """`Retry-After` in seconds or as a date, never longer than an hour."""
    told = str(answer.headers.get("Retry-After", "")).strip()
    if told.isdigit():
        return min(timedelta(seconds=int(told[:6])), LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(told) - datetime.now(UTC)
    except (TypeError, ValueError):
        return None
    return min(max(wait, timedelta(0)), LONGEST_WAIT)


def _sentence(answer: httpx.Response) -> str:
    """What the tracker says about it, or else the status."""
    try:
        told = answer.json()
    except ValueError:
        told = None
    if isinstance(told, dict):
        text = told.get("detail") or told.get("message") or told.get("error")
        if isinstance(text, str) and text.strip():
            return text.strip()[:300]
    return f"{answer.status_code} {answer.reason_phrase}".strip()


def _ticket(told: dict[str, Any], key: str) -> Ticket:
    created = datetime.fromisoformat(told["created_at"])
    return Ticket(
        id=str(told["id"]), key=key, title=str(told["title"]),
        created_at=created if created.tzinfo else created.replace(tzinfo=UTC),
    )  # fmt: skip
