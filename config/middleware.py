"""What every page needs: headers, the user's zone and language, and readable answers to domain errors."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from config.bearer import refusal
from config.sessions import profile_of
from taskboard.errors import (
    BadInput,
    Gone,
    LeaseLost,
    NotAllowed,
    NotFound,
    QueueFull,
    TaskboardError,
    WrongState,
)
from taskboard.views.as_json import wants_json

Handler = Callable[[HttpRequest], HttpResponseBase]
ANSWERS: dict[type, tuple[int, str]] = {
    WrongState: (409, "409.html"),
    QueueFull: (409, "409.html"),
    LeaseLost: (409, "409.html"),
    NotAllowed: (403, "403.html"),
    NotFound: (404, "404.html"),
    Gone: (410, "410.html"),
    BadInput: (422, "409.html"),
}


class Queries:
    """PostgreSQL refuses a NUL even where it only compares; in an address it is a sign that nothing has."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        asked = request.META.get("QUERY_STRING", "")
        request.META["QUERY_STRING"] = asked.replace("%00", "%EF%BF%BD").replace("\0", "%EF%BF%BD")
        return self.get_response(request)


class Pages:
    """A page and its parts share an address; what a person saw is not for the next one at this machine."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        if request.user.is_authenticated and "Cache-Control" not in response:
            response["Cache-Control"] = "no-store"
        return response


class UserZone:
    """Times and words as the user's profile wants them."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        profile = profile_of(request)
        if profile and profile.language:
            translation.activate(profile.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(ZoneInfo((profile and profile.time_zone) or settings.TIME_ZONE)):
            return self.get_response(request)


class DomainErrors:
    """An error with a sentence becomes a page, or a toast where htmx asked; so does the refusal of a method."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        return _wrong_method(request, response) if response.status_code == 405 else response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        answer = next((ANSWERS[kind] for kind in type(exception).__mro__ if kind in ANSWERS), None)
        if not isinstance(exception, TaskboardError) or answer is None:
            return None
        status, template = answer
        if getattr(request, "by_token", False):
            return refusal(status, exception.message)
        context = {"message": exception.told, "level": "error", "gone": getattr(exception, "facts", {})}
        several = getattr(exception, "faults", [])
        points = several if len(several) > 1 else []
        if not request.headers.get("HX-Request"):
            return render(request, template, {**context, "faults": points}, status=status)
        response = render(request, "_toast.html", {**context, "points": points}, status=status)
        response["HX-Retarget"], response["HX-Reswap"] = "#toasts", "beforeend"
        return response


def _wrong_method(request: HttpRequest, refused: HttpResponseBase) -> HttpResponse:
    """Django's own answer is an empty page."""
    takes = refused.get("Allow", "")
    told = _("This address only shows something; it takes %(methods)s.") % {"methods": takes or "–"}
    if takes == "POST":
        told = _("This address carries out an action, so it takes only POST: use the button on its page.")
    if wants_json(request):
        return refusal(405, told, Allow=takes)
    response = render(request, "405.html", {"message": told}, status=405)
    response["Allow"] = takes
    return response
