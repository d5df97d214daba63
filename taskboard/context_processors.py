"""What every page shows beside its own content."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from taskboard import attention, health


def platform(request: HttpRequest) -> dict[str, object]:
    """The sentence that nobody works, and how much is stuck; asked for only where a page shows them."""

    def may_see() -> bool:
        user = getattr(request, "user", None)
        return bool(user and user.has_perm("taskboard.view_task"))

    def banner() -> str:
        return health.banner(timezone.now()) if may_see() else ""

    def stuck() -> int:
        return attention.count() if may_see() else 0

    return {"platform_banner": SimpleLazyObject(banner), "stuck_steps": SimpleLazyObject(stuck)}
