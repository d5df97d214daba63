"""The addresses that the single sign-on provider publishes about itself, read once an hour."""

import time
from collections.abc import Mapping
from typing import Any

import requests
from django.conf import settings

from taskboard.errors import TaskboardError

WELL_KNOWN = "/.well-known/openid-configuration"
SECONDS = 10
KEPT_SECONDS = 3600
NAMES: Mapping[str, str] = {
    "OIDC_OP_AUTHORIZATION_ENDPOINT": "authorization_endpoint",
    "OIDC_OP_TOKEN_ENDPOINT": "token_endpoint",
    "OIDC_OP_USER_ENDPOINT": "userinfo_endpoint",
    "OIDC_OP_JWKS_ENDPOINT": "jwks_uri",
}
"""What the library asks for, and what the provider calls it."""
_read: dict[str, tuple[float, Mapping[str, Any]]] = {}


class NoProvider(TaskboardError):
    """The provider cannot be asked, or says something that cannot be true."""


def setting(name: str, *default: Any) -> Any:
    """A setting of mozilla-django-oidc: an address from the provider, the rest from ours."""
    if name in NAMES:
        return described().get(NAMES[name])
    ours = {
        "OIDC_RP_CLIENT_ID": settings.TASKBOARD_OIDC_CLIENT_ID,
        "OIDC_RP_CLIENT_SECRET": settings.TASKBOARD_OIDC_CLIENT_SECRET,
        "OIDC_RP_SIGN_ALGO": settings.TASKBOARD_OIDC_ALGORITHM,
        "OIDC_RP_SCOPES": settings.TASKBOARD_OIDC_SCOPES,
        "OIDC_AUTHENTICATION_CALLBACK_URL": "sign_on_callback",
        "OIDC_TIMEOUT": SECONDS,
        "OIDC_USE_PKCE": True,
        "LOGIN_REDIRECT_URL": settings.LOGIN_REDIRECT_URL,
        "LOGIN_REDIRECT_URL_FAILURE": settings.LOGIN_URL,
    }
    return ours.get(name, default[0] if default else None)


def described() -> Mapping[str, Any]:
    """The provider's own description; raises NoProvider with a sentence."""
    issuer = settings.TASKBOARD_OIDC_ISSUER
    at, told = _read.get(issuer, (0.0, {}))
    if not told or time.monotonic() - at > KEPT_SECONDS:
        told = _ask(issuer)
        _read[issuer] = (time.monotonic(), told)
    return told


def _ask(issuer: str) -> Mapping[str, Any]:
    try:
        answer = requests.get(issuer.rstrip("/") + WELL_KNOWN, timeout=SECONDS)
        answer.raise_for_status()
        told = answer.json()
    except (requests.RequestException, ValueError) as error:
        raise NoProvider(f"The provider of single sign-on cannot be asked: {error}") from error
    if (
        not isinstance(told, dict)
        or told.get("issuer") != issuer
        or not all(told.get(n) for n in NAMES.values())
    ):
        raise NoProvider("The provider of single sign-on describes itself as another one, or not in full.")
    return told
