"""What every page shows beside its own content."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from taskboard import attention, health, standby
from taskboard.models import Freeze
from taskboard.rights import SEE


def platform(request: HttpRequest) -> dict[str, object]:
    """The sentence that nobody works, what is frozen, how much is stuck; asked for only where a page shows them."""

    def may_see() -> bool:
        user = getattr(request, "user", None)
        return bool(user and user.has_perm(SEE))

    def stands_by() -> str:
        return standby.told() if may_see() else ""

    def banner() -> str:
        return health.banner(timezone.now()) if may_see() and not found["standby_banner"] else ""

    def stuck() -> int:
        return attention.count() if may_see() else 0

    def frozen() -> list[Freeze]:
        return list(Freeze.objects.open()) if may_see() else []

    asked = {"standby_banner": stands_by, "platform_banner": banner, "stuck_steps": stuck}
    found: dict[str, object] = {
        name: SimpleLazyObject(ask) for name, ask in {**asked, "frozen_systems": frozen}.items()
    }
    return found
