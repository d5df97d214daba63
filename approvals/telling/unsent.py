"""Notices to people and other software that are not sent yet, and how they are dropped unsent."""

from datetime import datetime

from django.db.models import Count, Max, Min

from approvals.models import Approval, Delivery, Notice, Reminder, Vote
from approvals.telling import recipients, reminders, webhooks
from taskboard.gates import Figures, Outgoing

UNSENT = "Not sent: an administrator dropped what had waited."


def figures(now: datetime) -> Figures:
    """Numbers are never given twice, so the last one says how many there were."""
    waiting = Approval.objects.open(now).aggregate(count=Count("id"), oldest=Min("requested_at"))
    asked = Approval.objects.aggregate(last=Max("id"))["last"] or 0
    answered = Vote.objects.aggregate(last=Max("id"))["last"] or 0
    return Figures(waiting["count"], waiting["oldest"], asked, answered)


def outgoing(now: datetime) -> Outgoing:
    """Counted from the rows that are there; nothing is written."""
    due = Reminder.objects.filter(sent_at=None, due_at__lte=now, approval__in=Approval.objects.open(now))
    return Outgoing(
        mails=Notice.objects.filter(settled_at=None).count(),
        webhooks=Delivery.objects.filter(settled_at=None).count(),
        reminders=due.count(),
    )


def drop(now: datetime) -> int:
    """What would be told of now is written down first, so that the next sweep does not find it; returns how many
    messages were dropped."""
    reminders.send(now)
    recipients.collect(now)
    webhooks.collect(now)
    mails = Notice.objects.filter(settled_at=None).update(
        settled_at=now, outcome=Notice.Outcome.NEEDLESS, busy_until=None
    )
    return mails + sum(_give_up(delivery, now) for delivery in Delivery.objects.filter(settled_at=None))


def _give_up(delivery: Delivery, now: datetime) -> int:
    """What was tried before stays."""
    tries = [*delivery.tries, {"at": now.isoformat(timespec="seconds"), "said": UNSENT}]
    mine = Delivery.objects.filter(pk=delivery.pk, settled_at=None)
    return mine.update(settled_at=now, state=Delivery.State.GIVEN_UP, tries=tries)
