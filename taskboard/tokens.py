"""Tokens for scripts: a person makes one, it is shown once, and reads with that person's rights until its end.

A token is 256 random bits, so nobody guesses one and a plain SHA-256 is enough to keep: nothing that the
database holds opens anything.
"""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit
from taskboard.audit import Actor
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import ApiToken

PREFIX = "tb_"
SHOWN = 9
"""This many characters are kept readable, to tell one from another."""
LONGEST = 80
MOST = 20
MOST_DAYS = 366
SELDOM = timedelta(minutes=1)
"""The last use is not written down more often than this."""
OF_OTHERS = "taskboard.delete_apitoken"


def make(user: User, name: str, last_day: date) -> tuple[ApiToken, str]:
    """A new token and its text, which nobody sees again. It ends with `last_day` in the current zone."""
    clean, now = _name(name), timezone.now()
    ends = _midnight_after(last_day, now)
    text = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.filter(user=user, name=clean, revoked_at=None, expires_at__lte=now).update(
        revoked_at=now
    )
    if ApiToken.objects.filter(user=user, revoked_at=None, expires_at__gt=now).count() >= MOST:
        raise BadInput(_("You have %d tokens already. Revoke one that you no longer need.") % MOST)
    try:
        with transaction.atomic():
            new = ApiToken.objects.create(
                user=user,
                name=clean,
                beginning=text[:SHOWN],
                digest=_digest(text),
                created_at=now,
                expires_at=ends,
            )
            audit.record(user, "token_made", new, after={"until": ends.isoformat()})
    except IntegrityError:
        message = _("You have a token of this name already. Choose another name, or revoke that one first.")
        raise BadInput(message, "name") from None
    return new, text


def revoke(number: int, user: User) -> ApiToken:
    """Its owner ends it, or a person who may end those of others; from then on it opens nothing."""
    found = visible_to(user).filter(pk=number).select_related("user").first()
    if found is None:
        raise NotFound(_("There is no such token."))
    with transaction.atomic():
        if not _end(found, user):
            raise WrongState(_("This token was revoked already."))
    return found


def end_those_of(people: Iterable[User], by: Actor) -> None:
    """For good: whoever is switched on again makes new ones. Called in the transaction of the switching off."""
    live = ApiToken.objects.filter(user__in=list(people), revoked_at=None, expires_at__gt=timezone.now())
    for token in live.select_related("user").order_by("pk"):
        _end(token, by)


def visible_to(user: User) -> "QuerySet[ApiToken]":
    """One's own; with the right to, those of others too."""
    tokens = ApiToken.objects.all()
    return tokens if user.has_perm(OF_OTHERS) else tokens.filter(user=user)


def holder(text: str, now: datetime) -> ApiToken | None:
    """The live token with this text, of a person who may still log in; its use is noted now and then."""
    live = ApiToken.objects.filter(
        digest=_digest(text), revoked_at=None, expires_at__gt=now, user__is_active=True
    )
    token = live.select_related("user").first()
    if token is not None and (token.last_used_at is None or now - token.last_used_at > SELDOM):
        seldom = Q(last_used_at=None) | Q(last_used_at__lt=now - SELDOM)
        ApiToken.objects.filter(seldom, pk=token.pk).update(last_used_at=now)
    return token


def _end(token: ApiToken, by: Actor) -> bool:
    """False if it was over already."""
    name = by if isinstance(by, str) else by.get_username()
    ended = {"revoked_at": timezone.now(), "revoked_by_name": name}
    if not ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(**ended):
        return False
    audit.record(by, "token_revoked", token, before={"owner": token.user.get_username()})
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _name(text: str) -> str:
    clean = " ".join(clean_text(text).split())
    if not clean:
        raise BadInput(_("Say which script it is for, so that you know later which token to revoke."), "name")
    if len(clean) > LONGEST:
        raise BadInput(_("A name has at most %d characters.") % LONGEST, "name")
    return clean


def _midnight_after(last_day: date, now: datetime) -> datetime:
    """When a token ends that is for that day still."""
    today = timezone.localdate(now)
    if not today <= last_day <= today + timedelta(days=MOST_DAYS):
        raise BadInput(_("Choose a day from today on, at most a year ahead."), "last_day")
    return timezone.make_aware(datetime.combine(last_day + timedelta(days=1), time.min))
