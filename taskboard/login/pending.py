"""Logins between password and code: the session keeps, for a few minutes, who has entered the first."""

import time
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare

KEY = "half_in"
SECONDS = 300


def park(request: HttpRequest, user: User, backend: str, onward: str) -> None:
    """Nobody is logged in by this; the session only knows whose code it waits for."""
    request.session.cycle_key()
    request.session[KEY] = {
        "pk": user.pk, "backend": backend, "next": onward, "at": time.time(), "hash": user.get_session_auth_hash(),
    }  # fmt: skip


def waiting(request: HttpRequest) -> tuple[User, dict[str, Any]] | None:
    """Whose code is waited for; None if that took too long, or the password is another one by now."""
    told = request.session.get(KEY)
    if not told or not 0 <= time.time() - told["at"] < SECONDS:
        return None
    user = get_user_model().objects.filter(pk=told["pk"], is_active=True).first()
    if user is None or not constant_time_compare(told["hash"], user.get_session_auth_hash()):
        return None
    return user, told


def forget(request: HttpRequest) -> None:
    request.session.pop(KEY, None)
