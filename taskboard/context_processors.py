"""What every page shows beside its own content."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from taskboard import health


def platform(request: HttpRequest) -> dict[str, object]:
    """The sentence that nobody works, asked for only where a page shows it."""

    def banner() -> str:
        user = getattr(request, "user", None)
        return health.banner(timezone.now()) if user and user.has_perm("taskboard.view_task") else ""

    return {"platform_banner": SimpleLazyObject(banner)}
