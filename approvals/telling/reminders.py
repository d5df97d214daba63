"""Reminders of open questions: each is a row with its time, and the sweep sends it once."""

from datetime import datetime

from approvals import policy, trail
from approvals.models import Approval, Event, Reminder
from approvals.telling import recipients
from taskboard.change import Change
from taskboard.lifecycle import changing
from taskboard.models import Kind

ACTOR = "taskboard"


def plan(approval: Approval) -> None:
    """Write down when to remind; what was planned for an earlier group and not sent goes."""
    Reminder.objects.filter(approval=approval, sent_at=None).delete()
    if approval.visible_at is None or approval.expires_at is None:
        return
    due = policy.reminders(approval.policy, approval.visible_at, approval.expires_at)
    Reminder.objects.bulk_create(Reminder(approval=approval, share=share, due_at=at) for share, at in due)


def send(now: datetime, batch: int = 100) -> int:
    """Remind of all open questions whose time for it has come; returns how many. Two sweeps at once do no harm."""
    due = Reminder.objects.filter(sent_at=None, due_at__lte=now, approval__in=Approval.objects.open(now))
    count, last = 0, 0
    while found := list(due.filter(pk__gt=last).order_by("pk").values_list("pk", "approval__task")[:batch]):
        count += sum(_send(pk, task_pk, now) for pk, task_pk in found)
        last = found[-1][0]
    return count


def _send(reminder_pk: int, task_pk: int, now: datetime) -> bool:
    with changing(task_pk, ACTOR) as change:
        mine = Reminder.objects.filter(pk=reminder_pk, sent_at=None)
        reminder = mine.first()
        if reminder is None or not mine.update(sent_at=change.now):
            return False
        approval = trail.read(reminder.approval_id)
        return approval.is_open and _remind(change, approval, reminder.share)


def _remind(change: Change, approval: Approval, share: int) -> bool:
    recipients.remind(approval, share)
    trail.add(change, approval, None, Event.What.REMINDED, share=share)
    trail.record(change, Kind.NOTE, approval, did="remind", share=share)
    return True
