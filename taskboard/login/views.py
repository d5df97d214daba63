"""Logging in: password, then a code where the person has a second factor; and setting that up."""

import logging
import math
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_otp import login as show

from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotAllowed
from taskboard.guards import person
from taskboard.login import browsers, pending, second_factor, throttle

log = logging.getLogger(__name__)
HOME = "second_factor"


class LogIn(auth.LoginView):
    """The page with name and password. Guessing costs a pause that grows."""

    redirect_authenticated_user = True

    def get_context_data(self, **context: Any) -> dict[str, Any]:
        ways = {"sign_on": bool(settings.TASKBOARD_OIDC_ISSUER), "local": settings.TASKBOARD_LOCAL_LOGIN}
        return super().get_context_data(**context, **ways)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        name = clean_text(request.POST.get("username", ""), 200)
        if not settings.TASKBOARD_LOCAL_LOGIN and name not in settings.TASKBOARD_BREAK_GLASS:
            raise NotAllowed(_("People log in by single sign-on here, not with a password."))
        self.places = throttle.places(request, name)
        if until := throttle.begin(self.places, timezone.now()):
            log.warning("log-in has to wait", extra={"address": request.META.get("REMOTE_ADDR")})
            return wait(request, (until - timezone.now()).total_seconds())
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: Any) -> HttpResponse:
        log.warning("log-in failed", extra={"address": self.request.META.get("REMOTE_ADDR")})
        return super().form_invalid(form)

    def form_valid(self, form: Any) -> HttpResponse:
        user = form.get_user()
        throttle.succeeded(self.places, timezone.now())
        if second_factor.device_of(user):
            pending.park(self.request, user, user.backend, self.get_success_url())
            return redirect("code")
        response = super().form_valid(form)
        browsers.remember(self.request, response, user.get_username())
        return response


log_in = sensitive_post_parameters("password")(LogIn.as_view())


@never_cache
@require_http_methods(["GET", "POST"])
@sensitive_post_parameters("code")
def code(request: HttpRequest) -> HttpResponseBase:
    """The second step: the code of the phone, or a recovery code."""
    parked = pending.waiting(request)
    if parked is None:
        return _late(request)
    user, told = parked
    if request.method == "GET":
        return render(request, "registration/code.html")
    device = second_factor.verified(user, request.POST.get("code", ""))
    if device is None:
        log.warning("second factor failed", extra={"user": user.pk})
        return render(request, "registration/code.html", {"fault": second_factor.wrong()}, status=422)
    pending.forget(request)
    login(request, user, backend=told["backend"])
    show(request, device)
    response = redirect(told["next"])
    browsers.remember(request, response, user.get_username())
    return response


@never_cache
@require_GET
@login_required
def own(request: HttpRequest) -> HttpResponse:
    """The page of one's own second factor."""
    return _page(request)


@require_POST
@login_required
def begin(request: HttpRequest) -> HttpResponse:
    _offered()
    second_factor.begin(person(request))
    return redirect(HOME)


@require_POST
@login_required
@sensitive_post_parameters("code")
def confirm(request: HttpRequest) -> HttpResponse:
    return _shown_once(request, lambda user, code: second_factor.confirm(request, user, code))


@require_POST
@login_required
@sensitive_post_parameters("code")
def renew(request: HttpRequest) -> HttpResponse:
    return _shown_once(request, second_factor.renew)


@require_POST
@login_required
@sensitive_post_parameters("code")
def switch_off(request: HttpRequest) -> HttpResponse:
    _offered()
    try:
        second_factor.switch_off(person(request), request.POST.get("code", ""))
    except BadInput as fault:
        return _page(request, fault=fault.message, status=422)
    messages.success(request, _("The second factor is off: the password alone lets you in."))
    return redirect(HOME)


def to_the_door(request: HttpRequest) -> HttpResponseBase:
    """Django's admin has no door of its own: throttle, second factor and single sign-on hold there too."""
    if request.user.is_authenticated:
        raise NotAllowed(_("The admin is for administrators."))
    return redirect_to_login(request.GET.get("next") or reverse("admin:index"))


def wait(request: HttpRequest, seconds: float) -> HttpResponse:
    """Too many wrong passwords from here: how long the next attempt has to wait."""
    left = max(1, math.ceil(seconds))
    told = (
        ngettext("%d second", "%d seconds", left) % left
        if left < 90
        else ngettext("%d minute", "%d minutes", math.ceil(left / 60)) % math.ceil(left / 60)
    )
    response = render(request, "registration/locked.html", {"pause": told}, status=429)
    response["Retry-After"] = str(left)
    return response


def _shown_once(request: HttpRequest, verb: Callable[[User, str], list[str]]) -> HttpResponse:
    """The recovery codes that came of it; they are stored as digests, so there is no second look."""
    _offered()
    try:
        codes = verb(person(request), request.POST.get("code", ""))
    except BadInput as fault:
        return _page(request, fault=fault.message, status=422)
    return _page(request, codes=codes)


def _page(request: HttpRequest, status: int = 200, **shown: Any) -> HttpResponse:
    _offered()
    user = person(request)
    device = second_factor.device_of(user)
    planned = None if device else second_factor.planned(user)
    context = {
        "device": device, "planned": planned, "must": second_factor.must(user),
        "picture": second_factor.picture(planned) if planned else "",
        "secret": second_factor.as_text(planned) if planned else (),
        "left": second_factor.codes_left(user), **shown,
    }  # fmt: skip
    return render(request, "registration/second_factor.html", context, status=status)


def _offered() -> None:
    if not settings.TASKBOARD_TOTP:
        raise Http404(_("A second factor is not switched on here."))


def _late(request: HttpRequest) -> HttpResponseBase:
    pending.forget(request)
    messages.info(request, _("That took too long. Log in once more."))
    return redirect(resolve_url(settings.LOGIN_URL))
