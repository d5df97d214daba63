"""Out of office: a person names who answers in their place, and until when."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.models import Absence
from approvals.rights import ABSENCES, DECIDE
from taskboard import audit
from taskboard.errors import BadInput, NotAllowed, NotFound

MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


def go_away(
    person: User, substitute: User, until: datetime, since: datetime | None = None, *, by: User
) -> Absence:
    """From `since` (now) until then the substitute may answer what this person may. An earlier entry for the same
    time gives way."""
    _may_set(person, by)
    now = timezone.now()
    since = max(since or now, now)
    _check(person, substitute, since, until)
    with transaction.atomic():
        overlap = Absence.objects.filter(user=person, since__lt=until, until__gt=since)
        overlap.filter(since__lt=since).update(until=since)
        overlap.filter(since__gte=since).delete()
        told = {"substitute": substitute.get_username(), "since": str(since), "until": str(until)}
        _audit(by, person, told)
        return Absence.objects.create(
            user=person, substitute=substitute, since=since, until=until, set_by_name=by.get_username()
        )


def end(absence_pk: int, *, by: User) -> None:
    """One entry is over; one that has not begun yet never happened."""
    now = timezone.now()
    absence = entries(by, now).filter(pk=absence_pk).first()
    if absence is None:
        raise NotFound(_("This is over already, or there is no such entry of yours."))
    with transaction.atomic():
        _audit(by, absence.user, {"until": str(now)})
        _end(Absence.objects.filter(pk=absence_pk), now)


def entries(reader: User, now: datetime) -> "QuerySet[Absence]":
    """What is in force or yet to come: one's own; for administrators also that of others."""
    ahead = Absence.objects.filter(until__gt=now).select_related("user", "substitute").order_by("since", "pk")
    return ahead if reader.has_perm(ABSENCES) else ahead.filter(user=reader)


def deciders() -> "QuerySet[User]":
    """Who has the right to decide: they can be away, and stand in for each other."""
    return User.objects.with_perm(DECIDE, backend=MODEL_BACKEND).order_by("username")


def _check(person: User, substitute: User, since: datetime, until: datetime) -> None:
    if until <= since:
        raise BadInput(
            _("Give a day on which you are back: it lies after the beginning, and in the future."), "until"
        )
    if substitute == person:
        raise BadInput(_("Name somebody else: you cannot stand in for yourself."), "substitute")
    if not (substitute.is_active and substitute.has_perm(DECIDE)):
        told = _("%(who)s does not have the right to decide questions. Name somebody who has.")
        raise BadInput(told % {"who": substitute.get_username()}, "substitute")


def _may_set(person: User, by: User) -> None:
    """One's own; administrators also that of others."""
    if by != person and not by.has_perm(ABSENCES):
        raise NotAllowed(_("Only administrators may say who answers in the place of others."))
    if not person.has_perm(DECIDE):
        raise NotAllowed(_("There is nothing to stand in for: this account may not decide questions."))


def _audit(by: User, person: User, told: dict[str, Any]) -> None:
    """What administrators do for others is an administrative act."""
    if by != person:
        audit.record(by, "absence", person, after=told)


def _end(absences: "QuerySet[Absence]", now: datetime) -> None:
    """What has begun stays as a record; what has not yet begun never happened."""
    absences.filter(since__gt=now).delete()
    absences.filter(since__lte=now).update(until=now)
