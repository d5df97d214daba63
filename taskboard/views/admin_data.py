"""What scripts read of two pages for administrators: how long a task is kept, and the stand-by; docs/json.md."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from taskboard import lifting, standby
from taskboard.guards import person
from taskboard.models import HoldRule
from taskboard.retention import expiry, hold, search_holds
from taskboard.rights import RETAIN, require
from taskboard.views.pages import visible_task


def keeping(request: HttpRequest, public_id: str) -> Mapping[str, Any]:
    require(person(request), RETAIN)
    task, now = visible_task(request, public_id), timezone.now()
    held = {"reason": task.hold_reason, "owner": task.hold_by, "until": task.hold_until}
    return {
        "task_id": public_id, "finished_at": task.finished_at, "expires_at": task.expires_at,
        "why_kept": expiry.why_kept(task, now), "hold": held if hold.holds(task, now) else None,
        "holds": [_rule(rule) for rule in search_holds.keeping([task], now).get(task.pk, ())],
    }  # fmt: skip


def stand_by(request: HttpRequest) -> Mapping[str, Any]:
    require(person(request), RETAIN)
    row, waits = standby.state(), lifting.waiting(timezone.now())
    steps = [
        {
            "workflow": due.workflow,
            "step": due.step,
            "status": due.status,
            "writes": due.writes,
            "count": due.count,
        }
        for due in waits.steps
    ]
    return {
        "since": row and row.since, "why": row.why if row else "", "reason": row.reason if row else "",
        "backup_at": row and row.backup_at, "steps": steps, "tasks": waits.tasks, "decisions": waits.decisions,
        "turns": waits.turns, **vars(waits.outgoing),
    }  # fmt: skip


def _rule(rule: HoldRule) -> dict[str, Any]:
    return {"search": rule.search, "reason": rule.reason, "owner": rule.owner_name, "until": rule.until}
