"""Out of office: a person names who answers in their place, and until when."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.models import Absence
from taskboard.errors import BadInput, NotAllowed

DECIDE = "approvals.decide_approval"
OTHERS = "approvals.change_absence"


def go_away(
    person: User, substitute: User, until: datetime, since: datetime | None = None, *, by: User
) -> Absence:
    """From `since` (now) until then the substitute may answer what this person may; an earlier entry ends."""
    _may_set(person, by)
    now = timezone.now()
    since = since or now
    if until <= max(since, now):
        raise BadInput(_("Give a day on which you are back; it lies in the past."), "until")
    if substitute == person:
        raise BadInput(_("Name somebody else: you cannot stand in for yourself."), "substitute")
    if not (substitute.is_active and substitute.has_perm(DECIDE)):
        told = _("%(who)s does not have the right to decide questions. Name somebody who has.")
        raise BadInput(told % {"who": substitute.get_username()}, "substitute")
    with transaction.atomic():
        _end(person, now)
        return Absence.objects.create(
            user=person, substitute=substitute, since=since, until=until, set_by_name=by.get_username()
        )


def come_back(person: User, *, by: User) -> None:
    """From now on nobody answers in their place."""
    _may_set(person, by)
    _end(person, timezone.now())


def absence_of(person: User, now: datetime) -> Absence | None:
    """The one that is in force or yet to come."""
    return Absence.objects.filter(user=person, until__gt=now).first()


def _may_set(person: User, by: User) -> None:
    """One's own; administrators also that of others."""
    if by != person and not by.has_perm(OTHERS):
        raise NotAllowed(_("Only administrators may say who answers in the place of others."))
    if not person.has_perm(DECIDE):
        raise NotAllowed(_("There is nothing to stand in for: this account may not decide questions."))


def _end(person: User, now: datetime) -> None:
    """What has begun stays as a record; what has not yet begun never happened."""
    Absence.objects.filter(user=person, since__gt=now).delete()
    Absence.objects.filter(user=person, until__gt=now).update(until=now)
