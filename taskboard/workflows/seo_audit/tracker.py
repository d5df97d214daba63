"""Where tickets go: the socket, and the tracker that the settings choose."""

from datetime import timedelta
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django_stubs_ext import StrOrPromise

from taskboard.workflows.seo_audit.http_tracker import HttpTracker
from taskboard.workflows.seo_audit.ticket import Ticket
from taskboard.workflows.seo_audit.ticket_book import TicketBook


class Tracker(Protocol):
    """A place for tickets that keeps one ticket per key.

    `create` raises NotSent if surely nothing arrived and Refused if the tracker said no for good; after any
    other exception the ticket may be there or not.
    """

    arrives_within: timedelta
    """For how long a call that was cut off may still have an effect."""
    link: str
    """Where people see a ticket, with {external_id} for its id; empty if only a command shows it."""
    where: StrOrPromise
    """How people look for one by its {key}, where the id is not known."""

    def create(self, key: str, title: str, body: str) -> Ticket:
        """The ticket of that key: a new one, or the one that is there already."""

    def find(self, key: str) -> Ticket | None:
        """The ticket of that key, if there is one."""


def get_tracker() -> Tracker:
    """The tracker at TASKBOARD_TRACKER_URL, or the ticket book of this installation."""
    if settings.TASKBOARD_TRACKER_URL:
        return HttpTracker(settings.TASKBOARD_TRACKER_URL, settings.TASKBOARD_TRACKER_TOKEN)
    return TicketBook(book_path())


def book_path() -> Path:
    """The file of the ticket book."""
    return Path(settings.TASKBOARD_VAR) / "tickets.sqlite3"
