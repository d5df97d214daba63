"""Whether this machine's clock jumped (set by hand, or after a sleep of the whole machine).

A lease that is over by such a clock says nothing: its holder must have had the time to renew it first.
"""

import time
from dataclasses import dataclass, field

from django.conf import settings
from django.utils import timezone

JUMP_SECONDS = 5.0
"""What the time of day and the steady clock may drift apart between two looks."""


def _distance() -> float:
    """From the steady clock, which never jumps, to the time of day."""
    return timezone.now().timestamp() - time.monotonic()


@dataclass
class Clock:
    """Compares the two clocks each time it is asked."""

    distance: float = field(default_factory=_distance)
    doubted_until: float = 0.0

    def is_in_doubt(self) -> bool:
        """True for the length of a lease after a jump."""
        distance, now = _distance(), time.monotonic()
        if abs(distance - self.distance) > JUMP_SECONDS:
            self.doubted_until = now + settings.TASKBOARD_LEASE_SECONDS
        self.distance = distance
        return now < self.doubted_until


CLOCK = Clock()
