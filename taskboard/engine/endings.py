"""How one attempt ended, ready to be written down."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from taskboard.outcomes import Ask, Done, GiveUp, GoBack, Skip, Verified

WHATEVER = (Exception, SystemExit)
"""What the code of a workflow may raise."""


@dataclass(frozen=True)
class Accepted:
    """The outside world said yes; to be written before `verify` is asked."""

    done: Done
    at: datetime
    found: bool = False


@dataclass(frozen=True)
class Finished:
    """Done, and proven as far as the step can be."""

    accepted: Accepted
    verified: Verified | None = None
    verified_at: datetime | None = None


@dataclass(frozen=True)
class TryAgain:
    """Surely nothing happened (or nothing that matters): once more, after a pause."""

    reason: str
    error_class: str = ""
    after: timedelta | None = None
    counts: bool = True


@dataclass(frozen=True)
class NotKnown:
    """It may have happened; nobody but a person can find out."""

    reason: str
    external_id: str = ""
    error_class: str = ""


@dataclass(frozen=True)
class LookAgain:
    """The outside world is still at it, or an absence does not count yet."""

    after: timedelta
    reason: str
    failures: int = 0
    """How often in a row it could not be asked."""


@dataclass(frozen=True)
class MayStart:
    """The approval of a prepared step is not needed, or given and still fitting."""


@dataclass(frozen=True)
class MustAsk:
    """A person has to be asked; `void` says why an earlier yes does not hold."""

    ask: Ask
    void: str = ""


Ending = Accepted | Finished | TryAgain | NotKnown | LookAgain | GoBack | GiveUp | Skip | MayStart | MustAsk


def is_own_word(ending: Ending) -> bool:
    """Whether the attempt itself said how it ended and what it cost; otherwise it was found out without it."""
    match ending:
        case Finished():
            return not ending.accepted.found
        case TryAgain():
            return ending.error_class not in ("Interrupted", "Absent")
        case _:
            return isinstance(ending, GoBack | GiveUp | Skip)


@dataclass
class Report:
    """One ending with what was noted on the way."""

    ending: Ending
    notes: list[str] = field(default_factory=list)
