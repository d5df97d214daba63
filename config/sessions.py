"""Whose session this is, and whether it has ended meanwhile because the person's rights fell."""

from collections.abc import Callable

from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from taskboard import origin, sessions
from taskboard.models import Profile

Handler = Callable[[HttpRequest], HttpResponseBase]


class Turns:
    """Looks at the turn of the person before the view, and keeps it in a session that begins in the view."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if getattr(request, "by_token", False):
            return self.get_response(request)
        profile = profile_of(request)
        if request.user.is_authenticated and sessions.is_over(request.session, _turn(profile)):
            logout(request)
        before = _who(request)
        response = self.get_response(request)
        if request.user.is_authenticated and _who(request) != before:
            sessions.begin(request.session, sessions.turn_of(request.user.pk))
        return response


class Origin:
    """The audit log tells from where somebody acted."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with origin.coming_from(request.META.get("REMOTE_ADDR") or ""):
            return self.get_response(request)


def profile_of(request: HttpRequest) -> Profile | None:
    """Read once per request."""
    if not request.user.is_authenticated:
        return None
    if not hasattr(request, "profile"):
        request.profile = Profile.objects.filter(user=request.user.pk).first()  # type: ignore[attr-defined]
    found: Profile | None = request.profile  # type: ignore[attr-defined]
    return found


def _who(request: HttpRequest) -> tuple[int | None, str | None]:
    """It changes when somebody logs in, also as the same person again."""
    return request.user.pk, request.session.session_key


def _turn(profile: Profile | None) -> int:
    return profile.session_turn if profile else 0
