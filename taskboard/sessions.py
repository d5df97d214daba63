"""A session ends when its person's rights fall: it knows in which turn of the person it began, and the profile
counts the turns. (That it ends with a new password, and while the person is switched off, is Django's own work.)"""

from collections.abc import Iterable
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.base import SessionBase
from django.db import connections
from django.db.models import F
from django.http import HttpRequest

from taskboard.models import Profile
from taskboard.rights import SEE

KEY = "_turn"


def turn_of(user_pk: int | None) -> int:
    return Profile.objects.filter(user=user_pk).values_list("session_turn", flat=True).first() or 0


def is_over(session: SessionBase, turn: int) -> bool:
    """A session without a number began before any turn had ended."""
    return bool(session.get(KEY, 0) != turn)


def begin(session: SessionBase, turn: int) -> None:
    """At login. The first turn needs no number, so that most sessions are written once."""
    if is_over(session, turn):
        session[KEY] = turn


def end(people: Iterable[int]) -> None:
    """All sessions of these people end, wherever they are open."""
    ids = list(people)
    Profile.objects.bulk_create([Profile(user_id=pk) for pk in ids], ignore_conflicts=True)
    Profile.objects.filter(user__in=ids).update(session_turn=F("session_turn") + 1)


def ended(keys: Iterable[str]) -> set[str]:
    """Those of these sessions that are over: logged out, switched off, password changed, or rights that fell.
    Keeps no connection, since it is asked in a thread of its own."""
    try:
        return {key for key in keys if not _is_open(key)}
    finally:
        connections.close_all()


def _is_open(key: str) -> bool:
    asked = HttpRequest()
    asked.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(asked)
    return user.has_perm(SEE) and not is_over(asked.session, turn_of(user.pk))
