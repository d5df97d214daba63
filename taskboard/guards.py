"""Who may: the one decorator of all views."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from taskboard.errors import NotAllowed
from taskboard.rights import SEE

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def may(permission: str = SEE) -> Callable[[View[P]], View[P]]:
    """The view is for people with this right; strangers go to login, people without a group are told so."""

    def guard(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return to_login(request)
            if not request.user.has_perm(SEE):
                return _no_group(request)
            if not request.user.has_perm(permission):
                raise NotAllowed(_("Your group may not do this. Ask an administrator for the right."))
            return view(request, *args, **kwargs)

        return guarded

    return guard


def for_scripts(view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """The view is data: it may be read with a token as well (config/bearer.py). No other view opens to one."""
    view.for_scripts = True  # type: ignore[attr-defined]
    return view


def person(request: HttpRequest) -> User:
    """The person behind a guarded request."""
    return cast(User, request.user)


def to_login(request: HttpRequest) -> HttpResponseBase:
    """The whole page goes to login and comes back to where the person was, never into a fragment."""
    login = resolve_url(settings.LOGIN_URL) + ("" if request.method in ("GET", "HEAD") else "?lost=1")
    if request.htmx:  # type: ignore[attr-defined]
        back = _page_of(request) or "/"
        return HttpResponseClientRedirect(redirect_to_login(back, login).url)
    back = request.get_full_path() if request.method == "GET" else _came_from(request)
    return redirect_to_login(back, login)


def _came_from(request: HttpRequest) -> str:
    """An action's own address cannot be opened; the page with its button can."""
    try:
        referer = urlsplit(request.headers.get("Referer", ""))
    except ValueError:  # no address at all
        return "/"
    return referer.path if referer.netloc == request.get_host() else "/"


def _page_of(request: HttpRequest) -> str:
    """The page that htmx asks from, if it is one of ours."""
    try:
        return request.htmx.current_url_abs_path or ""  # type: ignore[attr-defined]
    except ValueError:
        return ""


def _no_group(request: HttpRequest) -> HttpResponseBase:
    if request.htmx or getattr(request, "by_token", False):  # type: ignore[attr-defined]
        raise NotAllowed(_("You are in no group yet. Ask an administrator to add you to one."))
    return render(request, "taskboard/no_group.html", status=403)
