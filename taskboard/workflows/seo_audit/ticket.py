"""A ticket, and the tracker's final no."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Ticket:
    """One ticket as its tracker shows it."""

    id: str
    key: str
    title: str
    created_at: datetime


class Refused(Exception):
    """The tracker has understood and will not take this ticket."""
