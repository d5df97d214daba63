"""Single sign-on by OpenID Connect: the code flow of mozilla-django-oidc, with what it leaves to its users.

That is: whether the token was made by this provider and for us, who that is (by issuer and subject, never by an
e-mail address that somebody may have made up), and which groups the provider names.
"""

import logging
from collections.abc import Mapping
from typing import Any

import jwt
import requests
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import Group, User
from django.core.exceptions import SuspiciousOperation
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from mozilla_django_oidc import auth, views

from taskboard import audit, sessions
from taskboard.cleaning import clean_text
from taskboard.errors import NotAllowed, NotFound, TaskboardError, WrongState
from taskboard.login import provider, second_factor
from taskboard.models import SignOn

log = logging.getLogger(__name__)
Claims = Mapping[str, Any]
ADMINISTRATORS = "Administrators"
FAULTS = (
    requests.RequestException, SuspiciousOperation, jwt.PyJWTError, TaskboardError, IntegrityError, KeyError,
    ValueError,
)  # fmt: skip
"""What the flow raises when the provider fails, or somebody plays with the addresses."""


class Backend(auth.OIDCAuthenticationBackend):  # type: ignore[misc]
    """The person behind a code of the provider."""

    get_settings = staticmethod(provider.setting)

    def __init__(self) -> None:
        """Asks nobody: whoever is logged in stays so while the provider does not answer."""

    def authenticate(self, request: HttpRequest | None, **told: Any) -> User | None:
        if not settings.TASKBOARD_OIDC_ISSUER or "nonce" not in told:
            return None
        super().__init__()
        return super().authenticate(request, **told)  # type: ignore[no-any-return]

    def get_user(self, user_id: int) -> User | None:
        user = User.objects.filter(pk=user_id).first()
        return user if user and user.is_active else None

    def verify_token(self, token: str, **told: Any) -> Any:
        """Signature and nonce are the library's; issuer, audience and end are checked here."""
        claims = super().verify_token(token, **told)
        audience = claims.get("aud")
        audience = audience if isinstance(audience, list) else [audience]
        ours = settings.TASKBOARD_OIDC_CLIENT_ID
        if claims.get("iss") != settings.TASKBOARD_OIDC_ISSUER or ours not in audience:
            raise SuspiciousOperation("The token was made by another provider, or for another application.")
        if (len(audience) > 1 or "azp" in claims) and claims.get("azp") != ours:
            raise SuspiciousOperation("The token was made for another application.")
        if not claims.get("exp") or not claims.get("sub"):
            raise SuspiciousOperation("The token has no end, or names nobody.")
        return claims

    def get_or_create_user(self, access_token: str, id_token: str, payload: Claims) -> User | None:
        facts = self.get_userinfo(access_token, id_token, payload)
        if facts.get("sub") != payload["sub"]:
            raise SuspiciousOperation("The facts are about somebody else.")
        return enter({**payload, **facts})


class Request(views.OIDCAuthenticationRequestView):  # type: ignore[misc]
    """To the provider."""

    get_settings = staticmethod(provider.setting)


class Callback(views.OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Back from the provider."""

    get_settings = staticmethod(provider.setting)

    def login_success(self) -> HttpResponseBase:
        response = super().login_success()
        self.request.session[second_factor.BY_PROVIDER] = True
        return response  # type: ignore[no-any-return]

    def login_failure(self) -> HttpResponseBase:
        return refuse(self.request, None)


def request(request: HttpRequest) -> HttpResponseBase:
    return _through(Request, request)


def callback(request: HttpRequest) -> HttpResponseBase:
    return _through(Callback, request)


def enter(claims: Claims) -> User:
    """The person of these claims, made at the first time, with the groups that the provider names now."""
    subject, now = clean_text(claims["sub"], 255), timezone.now()
    with transaction.atomic():
        known = SignOn.objects.select_for_update().filter(issuer=_issuer(), subject=subject).first()
        if known is None:
            known = link(_new_user(claims), subject)
        user = User.objects.select_for_update().get(pk=known.user_id)
        SignOn.objects.filter(pk=known.pk).update(last_at=now)
        if not user.is_active:
            raise NotAllowed(_("Your account is switched off. Ask an administrator."))
        _follow(user, claims)
    return user


def link(user: User, subject: str) -> SignOn:
    """From now on that subject of the provider is this person."""
    now = timezone.now()
    known, new = SignOn.objects.get_or_create(
        issuer=_issuer(), subject=subject, defaults={"user": user, "first_at": now, "last_at": now}
    )
    if not new and known.user_id != user.pk:
        raise WrongState(_("This subject is another person already: %(name)s.") % {"name": known.user})
    return known


def wanted_groups(claims: Claims, mapping: Mapping[str, str], claim: str) -> set[str]:
    """Our groups for those that the provider names. Pure."""
    told = claims.get(claim) or []
    names = (
        {told} if isinstance(told, str) else {str(name) for name in told} if isinstance(told, list) else set()
    )
    return {ours for theirs, ours in mapping.items() if theirs in names}


def refuse(request: HttpRequest, fault: Exception | None) -> HttpResponseBase:
    """Back to the log-in page with a sentence; what exactly went wrong stands in the log."""
    log.warning("single sign-on failed", exc_info=fault if not isinstance(fault, TaskboardError) else None,
                extra={"reason": str(fault or "the provider said no")})  # fmt: skip
    ours = isinstance(fault, (NotAllowed, WrongState))
    told = str(fault) if ours else _("Single sign-on did not succeed. Try again, or ask whoever runs it.")
    messages.error(request, told)
    return redirect(settings.LOGIN_URL)


def _new_user(claims: Claims) -> User:
    name = clean_text(claims.get(settings.TASKBOARD_OIDC_NAME_CLAIM) or claims["sub"], 150).strip()
    if User.objects.filter(username__iexact=name).exists():
        raise NotAllowed(
            _(
                "There is an account named %(name)s already. An administrator can connect it to single sign-on."
            )
            % {"name": name}
        )
    user = User(username=name, email=clean_text(claims.get("email", ""), 254))
    user.set_unusable_password()
    user.save()
    audit.record(name, "user_added", user, reason="single sign-on")
    return user


def _follow(user: User, claims: Claims) -> None:
    """Groups that are mapped come and go with the provider; others stay as they are."""
    mapping = settings.TASKBOARD_OIDC_GROUPS
    if not mapping:
        return
    wanted = wanted_groups(claims, mapping, settings.TASKBOARD_OIDC_GROUPS_CLAIM)
    before = set(user.groups.values_list("name", flat=True))
    now = (before - set(mapping.values())) | wanted
    staff = ADMINISTRATORS in now or user.is_superuser
    if now == before and staff == user.is_staff:
        return
    user.groups.set(Group.objects.filter(name__in=now))
    if before - now:
        sessions.end([user.pk])
    User.objects.filter(pk=user.pk).update(is_staff=staff)
    audit.record(user, "user_changed", user, reason="single sign-on",
                 before={"groups": sorted(before)}, after={"groups": sorted(now)})  # fmt: skip


def _issuer() -> str:
    return str(settings.TASKBOARD_OIDC_ISSUER)


def _through(view: Any, request: HttpRequest) -> HttpResponseBase:
    if not settings.TASKBOARD_OIDC_ISSUER:
        raise NotFound(_("Single sign-on is not switched on here."))
    try:
        return view.as_view()(request)  # type: ignore[no-any-return]
    except FAULTS as fault:
        return refuse(request, fault)
