"""A session ends when its person's rights fall: it knows in which turn of the person it began, and the profile
counts the turns. (That it ends with a new password, and while the person is switched off, is Django's own work.)"""

from collections.abc import Iterable

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import F

from taskboard.models import Profile

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
