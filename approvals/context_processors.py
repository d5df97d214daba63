"""What every page shows of approvals: how many questions wait for this person."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from approvals.models import Approval


def open_questions(request: HttpRequest) -> dict[str, object]:
    """Counted only where a page shows it, with one query."""
    return {"open_questions": SimpleLazyObject(lambda: _count(request))}


def _count(request: HttpRequest) -> int:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return 0
    return Approval.objects.inbox_of(user, timezone.now()).count()
