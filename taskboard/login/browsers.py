"""Browsers in which somebody has logged in before: strangers elsewhere cannot make them wait.

A signed cookie holds a number per name. Whoever brings one for the name that is typed is counted by that number alone,
and not by an address that others may share or abuse.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

COOKIE = "known_browser"
SALT = "taskboard.login.browsers"
KEPT_SECONDS = 180 * 24 * 3600
MOST_NAMES = 8


def known(request: HttpRequest, name: str) -> str:
    """The number of this browser for that name; empty if nobody of that name has come in here."""
    return _names(request).get(_key(name), "")


def remember(request: HttpRequest, response: HttpResponseBase, name: str) -> None:
    """This person has come in here; those who did before stay known, the newest ones."""
    names = _names(request)
    number = names.pop(_key(name), "") or secrets.token_hex(8)
    kept = dict([*names.items(), (_key(name), number)][-MOST_NAMES:])
    response.set_cookie(
        COOKIE, signing.dumps(kept, salt=SALT), max_age=KEPT_SECONDS, httponly=True, samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE, path=settings.SESSION_COOKIE_PATH,
    )  # fmt: skip


def _names(request: HttpRequest) -> dict[str, str]:
    try:
        told = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KEPT_SECONDS)
    except signing.BadSignature:
        return {}
    return told if isinstance(told, dict) else {}


def _key(name: str) -> str:
    return salted_hmac(SALT, name.casefold().strip()).hexdigest()[:16]
