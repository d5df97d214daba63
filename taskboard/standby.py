"""Whether this installation stands by: it was restored, copied or put back, and acts only when a person says so.

Each job asks before it does anything (taskboard/shell.py), and so does each command that acts.
"""

import logging
import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit, dates, place
from taskboard.audit import Actor
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, WrongState
from taskboard.models import Installation

Why = Installation.Why
EVERY = timedelta(minutes=1)
"""How often the row, and each machine, note that the installation is alive."""
LOST = timedelta(minutes=2)
"""A database that is older than what this machine saw by more than this was put back. A server that takes over
from another one may lack the last seconds; it goes on."""
log = logging.getLogger(__name__)


def stands_by(now: datetime | None = None) -> bool:
    """Asked by each job. Notices as well that this is not the database, or not where, it was."""
    now = now or timezone.now()
    before = place.seen()  # before the row: what others note meanwhile must not look like an older row
    here = place.here()
    row = _row(here, now)
    if row.since is None and (why := _suspicion(row, here, before)):
        _begin(row, why, now)
        return True
    if row.since is None:
        _note_life(row, here, before, now)
    return row.since is not None


def state() -> Installation | None:
    """The row while it stands by, for pages; None while it works."""
    return Installation.objects.filter(since__isnull=False).first()


def refuse() -> None:
    """Raises WrongState while it stands by; for whatever acts at once."""
    if stands_by():
        raise WrongState(told() or _("This installation stands by."))


def told() -> str:
    """The sentence for people; empty while it works."""
    row = state()
    if row is None or row.since is None:
        return ""
    told = _("This installation has stood by since %(since)s: no step begins, and nothing is sent. %(why)s")
    return told % {"why": row.get_why_display(), "since": dates.minute(row.since)}


def begin(by: Actor, reason: str) -> None:
    """A person makes it stand by, for example before the processes are started on a clone of the disk."""
    reason = clean_text(reason, 2000).strip()
    if not reason:
        raise BadInput(_("Say why it is to stand by; the audit log keeps it."), "reason")
    now = timezone.now()
    with transaction.atomic():
        row = known()
        if not _begin(row, Why.ASKED, now, reason):
            raise WrongState(_("It stands by already."))
        audit.record(by, "standby", row, reason=reason)


def end(by: Actor, now: datetime) -> None:
    """From now on it acts, and this is its place. It has another mark from now on, so that no machine measures it by
    what it saw of the former one. Called inside the transaction of the lifting."""
    fields = {"since": None, "why": "", "reason": "", "backup_at": None, "mark": str(uuid.uuid4())}
    name = by if isinstance(by, str) else by.get_username()
    lifted = {"lifted_at": now, "lifted_by_name": name, "alive_at": now, "place": place.here()}
    if not Installation.objects.filter(since__isnull=False).update(**fields, **lifted):
        raise WrongState(_("It does not stand by (any more)."))


def known() -> Installation:
    """The row, made now if no job has run yet."""
    return _row(place.here(), timezone.now())


def _row(here: str, now: datetime) -> Installation:
    row = Installation.objects.order_by("pk").first()
    if row is None:
        fresh = {"mark": str(uuid.uuid4()), "place": here, "alive_at": now}
        row, _new = Installation.objects.get_or_create(pk=1, defaults=fresh)
    return row


def _suspicion(row: Installation, here: str, before: place.Seen | None) -> Why | None:
    if not place.is_same(row.place, here):
        return Why.COPIED
    if before and before.mark == row.mark and before.alive_at - row.alive_at > LOST:
        return Why.OLDER
    return None


def _begin(row: Installation, why: Why, now: datetime, reason: str = "") -> bool:
    begun = Installation.objects.filter(pk=row.pk, since=None).update(since=now, why=why, reason=reason)
    if begun:
        log.warning("the installation stands by", extra={"why": why.value, "place": row.place})
    return bool(begun)


def _note_life(row: Installation, here: str, before: place.Seen | None, now: datetime) -> None:
    """The row first: no machine may know more than the database."""
    if now - row.alive_at >= EVERY or row.place != here:
        row.alive_at = max(now, row.alive_at)
        alive = Installation.objects.filter(pk=row.pk, mark=row.mark, since=None)
        if not alive.update(alive_at=row.alive_at, place=here):
            return
    if before is None or before.mark != row.mark or before.alive_at < row.alive_at:
        place.remember(row.mark, row.alive_at)
