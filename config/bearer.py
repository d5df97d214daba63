"""Scripts come in with a token instead of a session: to read data, with the rights of the token's person."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard import tokens

Handler = Callable[[HttpRequest], HttpResponseBase]
SCHEME = "bearer "
SAFE = ("GET", "HEAD")
MINUTE = 60


class Pace:
    """How often each token asked in this minute. Each web process counts for itself, so that reading writes
    nothing; no more is remembered than tokens that exist."""

    def __init__(self) -> None:
        self.minute, self.asked = 0, Counter[int]()

    def seconds_to_wait(self, token: int, now: float) -> int:
        """0 if it may go on."""
        minute = int(now // MINUTE)
        if minute != self.minute:
            self.minute, self.asked = minute, Counter()
        self.asked[token] += 1
        if self.asked[token] <= settings.TASKBOARD_TOKEN_REQUESTS_PER_MINUTE:
            return 0
        return max(1, int((minute + 1) * MINUTE - now))


class Tokens:
    """Behind Django's own authentication: whoever sends a token is its person, whatever the cookies say."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.pace = Pace()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        text = _sent(request)
        refused = self._come_in(request, text) if text else None
        return refused or self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """Pages, actions, streams and the admin stay closed: only views that say so are for scripts."""
        if getattr(request, "by_token", False) and not getattr(view, "for_scripts", False):
            return refusal(
                403, _("A token opens only what is listed in docs/json.md. This address is for people.")
            )
        return None

    def _come_in(self, request: HttpRequest, text: str) -> HttpResponseBase | None:
        request.by_token = True  # type: ignore[attr-defined]
        if request.method not in SAFE:
            return refusal(405, _("With a token one can read, and nothing else."), Allow=", ".join(SAFE))
        token = tokens.holder(text, timezone.now())
        if token is None:
            message = _(
                "This token is not known, or it has ended, was revoked, or its person was switched off."
            )
            return refusal(401, message, **{"WWW-Authenticate": 'Bearer error="invalid_token"'})
        request.user = token.user
        if wait := self.pace.seconds_to_wait(token.pk, time.time()):
            message = ngettext(
                "Too many requests with this token. Try again in %d second.",
                "Too many requests with this token. Try again in %d seconds.",
                wait,
            )
            message %= wait
            return refusal(429, message, **{"Retry-After": str(wait)})
        return None


def _sent(request: HttpRequest) -> str:
    """Our own kind of token, taken out of the request so that no error report repeats it; empty for any other."""
    header = request.META.get("HTTP_AUTHORIZATION", "")
    text = header[len(SCHEME) :].strip() if header[: len(SCHEME)].lower() == SCHEME else ""
    if not text.startswith(tokens.PREFIX):
        return ""
    del request.META["HTTP_AUTHORIZATION"]
    return str(text)


def refusal(status: int, message: str, **headers: str) -> JsonResponse:
    """A sentence for a script."""
    return JsonResponse({"error": message}, status=status, headers={"Cache-Control": "no-store", **headers})
