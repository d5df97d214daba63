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
    doublings = min(failures - 1, MOST_DOUBLINGS)
    grown = min(policy.first.total_seconds() * 2.0**doublings, policy.longest.total_seconds())
    jittered = timedelta(seconds=grown * (0.75 + chance / 2))
    return min(max(jittered, asked or jittered), LONGEST)
