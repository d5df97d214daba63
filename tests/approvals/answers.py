"""Short words for the tests of answers: a question answered, and the sweep that follows."""

import os
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval
from taskboard.gates import gate

ROUNDS = int(os.environ.get("TASKBOARD_TEST_ROUNDS", "8"))
"""How often each pair that comes at the same moment is tried; more where time allows."""


def answer(asked: Approval, who: User, outcome: str = "approve", reason: str = "", **over: Any) -> Approval:
    """As the page posts it, with the digest that was shown."""
    asked.refresh_from_db()
    return decisions.decide(asked.pk, who, outcome, reason, asked.payload_sha256, **over)


def sweep() -> int:
    """What a sweep does for questions."""
    now = timezone.now()
    return gate().expire(now) + gate().collect(now)
