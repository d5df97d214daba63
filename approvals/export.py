"""Decisions of a period, as CSV and as JSON Lines; made while they are sent."""

import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalQuerySet, Viewer
from taskboard.errors import BadInput
from taskboard.lists.export import AT_ONCE, sheet
from taskboard.money import to_usd

COLUMNS = (
    "question", "task", "workflow", "item", "step", "kind", "action", "target", "amount_usd", "impact", "outcome",
    "decided_by", "decided_with", "reason", "edited", "requested_by", "requested_at", "expires_at", "decided_at",
    "closed_at", "picked_up_at", "asked_sha256", "decided_sha256",
)  # fmt: skip


def answered(user: Viewer, since: date | None, until: date | None) -> ApprovalQuerySet:
    """The closed questions of these days (both included, in the current zone), the oldest first."""
    if since and until and since > until:
        raise BadInput(_("The first day is after the last one; swap them."))
    found = Approval.objects.visible_to(user).filter(closed_at__isnull=False)
    if since:
        found = found.filter(closed_at__gte=_midnight(since))
    if until:
        found = found.filter(closed_at__lt=_midnight(until + timedelta(days=1)))
    return found.select_related("task").order_by("closed_at", "pk")


def day(text: str) -> date | None:
    """A day as a form gives it; raises BadInput for anything else."""
    if not text.strip():
        return None
    try:
        found = date.fromisoformat(text.strip())
    except ValueError:
        raise BadInput(_("Write a day as 2026-09-17.")) from None
    if not 1970 <= found.year <= 9000:
        raise BadInput(_("Choose a day between 1970 and 9000."))
    return found


def as_csv(found: ApprovalQuerySet) -> Iterator[str]:
    """Text that a spreadsheet would run as a formula stays text."""
    rows = found.iterator(chunk_size=AT_ONCE)
    return sheet(COLUMNS, (tuple(_values(one).values()) for one in rows))


def as_json_lines(found: ApprovalQuerySet) -> Iterator[str]:
    """One object per line, with the exact actions; times with their offset."""
    return _lines(found, timezone.get_current_timezone())


def _lines(found: ApprovalQuerySet, zone: tzinfo) -> Iterator[str]:
    for one in found.prefetch_related("votes").iterator(chunk_size=AT_ONCE):
        values = {name: _told(value, zone) for name, value in _values(one).items()}
        answers = [
            {"by": vote.user_name, "outcome": vote.outcome, "reason": vote.reason, "at": _told(vote.at, zone)}
            for vote in one.votes.all()
        ]
        actions = {"asked": one.payload, "decided": one.decided_payload, "answers": answers}
        yield json.dumps({**values, **actions}, ensure_ascii=False) + "\n"


def _values(one: Approval) -> dict[str, Any]:
    amount = one.amount_micro
    return {
        "question": one.pk, "task": one.task.public_id, "workflow": one.task.workflow, "item": one.item_key,
        "step": one.step_name, "kind": one.kind, "action": one.action, "target": one.target,
        "amount_usd": None if amount is None else to_usd(amount), "impact": one.impact, "outcome": one.status,
        "decided_by": one.decided_by_name, "decided_with": one.decided_with, "reason": one.reason,
        "edited": one.decided_payload is not None, "requested_by": one.requested_by_name,
        "requested_at": one.requested_at, "expires_at": one.expires_at, "decided_at": one.decided_at,
        "closed_at": one.closed_at, "picked_up_at": one.picked_up_at, "asked_sha256": one.payload_sha256,
        "decided_sha256": one.decided_sha256,
    }  # fmt: skip


def _told(value: Any, zone: tzinfo) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(zone).isoformat(timespec="seconds")
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _midnight(of: date) -> datetime:
    return timezone.make_aware(datetime.combine(of, time.min))
