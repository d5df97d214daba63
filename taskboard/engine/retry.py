"""When to try again. Pure."""

from datetime import timedelta

from taskboard.outcomes import Retries

LONGEST = timedelta(days=365)
MOST_DOUBLINGS = 60


def pause(policy: Retries, failures: int, chance: float, asked: timedelta | None = None) -> timedelta | None:
    """How long to wait before the next attempt after this many failures; None: no more attempts.
    `chance` (0 to 1) spreads attempts that failed together; a pause that the other side asked for is kept."""
    if failures > policy.times:
        return None
    grown = min(policy.first.total_seconds() * _doubled(failures), policy.longest.total_seconds())
    jittered = timedelta(seconds=grown * (0.75 + chance / 2))
    return min(max(jittered, asked or jittered), LONGEST)


def bounded(asked: timedelta | None) -> timedelta:
    """A pause that somebody asked for, as one that a clock can add."""
    return min(max(asked or timedelta(0), timedelta(0)), LONGEST)


def growing(first: timedelta, longest: timedelta, turn: int) -> timedelta:
    """The pause after this many turns in vain, none of which counts as a failure."""
    return timedelta(seconds=min(first.total_seconds() * _doubled(turn), longest.total_seconds()))


def _doubled(turn: int) -> float:
    return 2.0 ** min(max(turn - 1, 0), MOST_DOUBLINGS)
