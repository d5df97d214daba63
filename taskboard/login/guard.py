"""Middleware: a person who must have a second factor sees no page before it is set up and entered."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from taskboard.guards import person, to_login
from taskboard.login import second_factor

Handler = Callable[[HttpRequest], HttpResponseBase]
OPEN = (
    "second_factor",
    "second_factor_begin",
    "second_factor_confirm",
    "logout",
    "login",
    "healthz",
    "readyz",
)


class SecondFactor:
    """Does nothing, and asks the database nothing, unless TASKBOARD_TOTP is on."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if settings.TASKBOARD_TOTP and self._is_missing(request):
            return _answer(request)
        return self.get_response(request)

    def _is_missing(self, request: HttpRequest) -> bool:
        if getattr(request, "by_token", False) or not request.user.is_authenticated:
            return False
        if second_factor.is_through(request) or request.path in map(reverse, OPEN):
            return False
        return second_factor.must(request.user) or second_factor.device_of(person(request)) is not None


def _answer(request: HttpRequest) -> HttpResponseBase:
    """A session from before the setting: its person logs in again, with the code, or sets a second factor up."""
    if second_factor.device_of(person(request)):
        logout(request)
        return to_login(request)
    home = reverse("second_factor")
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(home)
    if request.headers.get("Accept", "").startswith(("application/json", "text/event-stream")):
        return JsonResponse({"error": _("Set up your second factor first.")}, status=403)
    return redirect(home)
