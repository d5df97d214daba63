"""For whoever watches the installation: ready or not, and whether work moves. Figures only, so no login."""

from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from taskboard import freeze, health, standby
from taskboard.health import Health


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """503 with the reasons while the database or the broker does not answer, or work that is due lies still."""
    now = timezone.now()
    try:
        found, stands_by = health.look(now), standby.told()
    except DatabaseError:
        why = {"reasons": ["the database does not answer"], "database": "no answer"}
        return JsonResponse({"ready": False, **why}, status=503)
    broker = health.broker_fault()
    reasons = ([stands_by] if stands_by else found.faults(now)) + (
        [f"the broker does not answer: {broker}"] if broker else []
    )
    told = {"ready": not reasons, "reasons": reasons, "database": "answers"}
    told["broker"] = "no answer" if broker else "answers"
    return JsonResponse(told | _figures(found, now), status=503 if reasons else 200)


def _figures(found: Health, now: datetime) -> dict[str, Any]:
    return {
        "work": found.work(now),
        "due_steps": found.due_steps,
        "oldest_due_at": found.oldest_due_at,
        "undelivered_decisions": found.undelivered,
        "oldest_undelivered_at": found.oldest_undelivered_at,
        "frozen": freeze.figures(now),
        "seen": dict(sorted(found.seen.items())),
        "silent": [role.value for role in health.NEEDED if found.silent(role, now)],
    }
