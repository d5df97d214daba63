"""Sends the mails that are due: one per person for all that came at once, and none about answered questions."""

import hashlib
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from smtplib import SMTPRecipientsRefused

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from approvals import facts
from approvals.models import Approval, Notice
from approvals.models.notice import NoticeKind
from approvals.telling import letters, recipients
from taskboard.errors import NotAllowed

PAUSED = "approvals-mail-paused"
PAUSE = timedelta(minutes=1)
"""Without a try after the mail server could not be reached."""
LEASE = timedelta(minutes=2)
O = Notice.Outcome  # noqa: E741
log = logging.getLogger(__name__)


def owed(now: datetime) -> list[int]:
    """The people whose oldest news has waited long enough for others to join it."""
    if (until := cache.get(PAUSED)) and now < until:
        return []
    waited = now - timedelta(seconds=settings.TASKBOARD_MAIL_BUNDLE_SECONDS)
    people = _unsettled().values("user").annotate(oldest=Min("created_at")).filter(oldest__lte=waited)
    return list(people.order_by("user").values_list("user", flat=True))


def send(now: datetime | None = None) -> int:
    """Send what is owed; returns how many mails went out. If the mail server is down: later."""
    now = now or timezone.now()
    sent = 0
    for user_pk in owed(now):
        try:
            sent += _send_to(user_pk, now)
        except OSError as error:
            cache.set(PAUSED, now + PAUSE)
            log.warning("mail could not be sent, it is tried again in a minute", extra={"error": str(error)})
            break
    return sent


def _send_to(user_pk: int, now: datetime) -> bool:
    notices = _claim(user_pk, now)
    needed = _needed(notices, user_pk, now)
    _settle([notice for notice in notices if notice not in needed], O.NEEDLESS)
    if not needed:
        return False
    try:
        letters.compose(needed[0].user, needed, now).send()
    except SMTPRecipientsRefused as refusal:
        log.warning("the address was refused", extra={"user": user_pk, "error": str(refusal)})
        _settle(needed, O.REFUSED)
        return False
    except OSError:
        Notice.objects.filter(pk__in=[notice.pk for notice in needed]).update(busy_until=None)
        raise
    _settle(needed, O.SENT)
    return True


def _claim(user_pk: int, now: datetime) -> list[Notice]:
    """What goes into the next mail to this person. A mail that was begun and not finished is the next one, under the
    same Message-ID: if it went out after all, it is the same mail."""
    with transaction.atomic():
        found = list(_unsettled().select_for_update().filter(user=user_pk).order_by("pk"))
        if not found or any(notice.busy_until and notice.busy_until > now for notice in found):
            return []
        begun = next((notice.mail for notice in found if notice.mail), "")
        taken = [notice for notice in found if notice.mail == begun]
        mail = begun or _message_id(taken)
        pks = [notice.pk for notice in taken]
        Notice.objects.filter(pk__in=pks).update(mail=mail, busy_until=now + LEASE)
    return list(Notice.objects.filter(pk__in=pks).select_related("user").order_by("pk"))


def _needed(notices: Sequence[Notice], user_pk: int, now: datetime) -> list[Notice]:
    """Those that still say something: the question is open to this person, and they still want to know."""
    if not notices:
        return []
    try:
        person = facts.person_of(user_pk)
    except NotAllowed:
        return []
    wants = recipients.wishes_of([notices[0].user])[user_pk] if person.active else frozenset()
    asked = Approval.objects.select_related("task", "step").prefetch_related("votes")
    found = asked.in_bulk([notice.approval_id for notice in notices])
    needed = []
    for notice in notices:
        approval = found.get(notice.approval_id)
        if approval is None or notice.kind not in wants:
            continue
        notice.approval = approval
        if notice.kind == NoticeKind.DECIDED or recipients.may_answer(approval, person, now):
            needed.append(notice)
    return needed


def _settle(notices: Sequence[Notice], outcome: str) -> None:
    pks = [notice.pk for notice in notices]
    _unsettled().filter(pk__in=pks).update(settled_at=timezone.now(), outcome=outcome, busy_until=None)


def _unsettled() -> "QuerySet[Notice]":
    return Notice.objects.filter(Q(settled_at=None))


def _message_id(notices: Sequence[Notice]) -> str:
    key = "notices:" + ",".join(str(notice.pk) for notice in notices)
    return f"<{hashlib.sha256(key.encode()).hexdigest()[:32]}@taskboard>"
