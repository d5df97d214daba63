"""What each sweep starts for approvals: notices to write, the job that sends them, bulk answers left half done."""

from datetime import datetime

from approvals import bulk
from approvals.telling import mailing, recipients, webhooks
from taskboard import hints


def look(now: datetime) -> int:
    """Write down who has to be told of what, and wake whoever sends it; returns how many rows are new."""
    found = recipients.collect(now) + webhooks.collect(now)
    if mailing.owed(now) or webhooks.owed(now):
        hints.soon("approvals.tell", queue="short")
    for pk in bulk.abandoned(now):
        hints.soon("approvals.bulk", pk, queue="short")
    return found


def tell() -> int:
    """Send what is owed; returns how much went out."""
    return mailing.send() + webhooks.send()
