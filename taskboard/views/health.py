"""For whoever watches the installation: ready or not, and whether work moves. Figures only, so no login."""

from django.db import DatabaseError
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from taskboard import health


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """503 while the database does not answer; silent workers are told, but are no fault of this process."""
    now = timezone.now()
    try:
        found = health.look(now)
    except DatabaseError:
        return JsonResponse({"ready": False, "database": "no answer"}, status=503)
    work = "stuck" if found.stuck(now) else "moves" if found.due_steps else "nothing due"
    return JsonResponse(
        {
            "ready": True,
            "database": "answers",
            "work": work,
            "due_steps": found.due_steps,
            "oldest_due_at": found.oldest_due_at,
            "seen": dict(sorted(found.seen.items())),
        }
    )
