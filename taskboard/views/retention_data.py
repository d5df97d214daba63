"""What scripts read of the Retention pages; docs/json.md."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard.errors import NotAllowed
from taskboard.lists import paging
from taskboard.models import HoldRule, PurgePlan, PurgePlanTask, PurgeRecord, Task
from taskboard.money import to_usd
from taskboard.retention import automatic, consent, disk, expiry, hold, policy, search_holds
from taskboard.rights import RETAIN
from taskboard.views.retention import Line, asked_task, lines, page_of, page_of_records
from taskboard.views.retention_holds import page_of_held, page_of_rules
from taskboard.views.retention_plans import page_of_plans, progress_of

Values = dict[str, Any]


def expired(request: HttpRequest) -> Values:
    now = _now(request)
    told = {"next_automatic_run": automatic.next_run(now), "second_person": consent.needs_second_person()}
    return {**_tasks(request, "retention", expiry.expired(now), now), **told, "disk": disk.now().as_json()}


def kept(request: HttpRequest) -> Values:
    now = _now(request)
    return _tasks(request, "retention_kept", expiry.kept(now), now)


def coming(request: HttpRequest) -> Values:
    now = _now(request)
    return _tasks(request, "retention_coming", expiry.coming(now), now)


def records(request: HttpRequest) -> Values:
    _now(request)
    rows, following = page_of_records(request)
    shown = paging.query_of(task=asked_task(request), before=following)
    following_page = reverse("taskboard:retention_records_json") + shown if following else None
    return {"records": [_record(row) for row in rows], "next": following_page}


def plans(request: HttpRequest) -> Values:
    _now(request)
    rows, following = page_of_plans(request)
    return {"purges": [_plan(row) for row in rows], "next": _before("retention_purges", following)}


def plan(request: HttpRequest, pk: int) -> Values:
    """All its tasks, as they were shown."""
    _now(request)
    found = get_object_or_404(PurgePlan, pk=pk)
    told = progress_of(found)
    return {
        **_plan(found), "removed_rows": told["removed"], "kept": found.kept, "kept_count": found.kept_count,
        "tasks": [_line(row) for row in found.tasks.all()],
    }  # fmt: skip


def holds(request: HttpRequest) -> Values:
    """Of single tasks, and by search; of the latter those that are over too."""
    now = _now(request)
    held, below = page_of_held(request, now)
    since = hold.since(held)
    rows, following = page_of_rules(request, HoldRule.objects.all())
    told = [
        {"id": row.pk, **search_holds.as_json(row), "set_at": row.created_at, "ended_at": row.ended_at}
        for row in rows
    ]
    address = reverse("taskboard:retention_holds_json")
    return {
        "tasks": [_held(task, since.get(task.public_id)) for task in held],
        "next_tasks": f"{address}?below={below}" if below else None,
        "holds": told, "next": _before("retention_holds", following),
    }  # fmt: skip


def _held(task: Task, since: datetime | None) -> Values:
    return {
        "task_id": task.public_id, "goal": task.goal, "reason": task.hold_reason, "owner": task.hold_by,
        "set_at": since, "until": task.hold_until,
    }  # fmt: skip


def policies(request: HttpRequest) -> Values:
    _now(request)
    return {
        "workflows": [
            {"workflow": one.name, "days": one.days, "declared_days": one.declared.days,
             "set_by": one.policy.set_by_name if one.policy else None,
             "reason": one.policy.reason if one.policy else ""}
            for one in policy.overview()
        ]
    }  # fmt: skip


def _now(request: HttpRequest) -> datetime:
    """For all of these the same right is needed."""
    if not request.user.has_perm(RETAIN):
        raise NotAllowed(_("Your group may not do this. Ask an administrator for the right."))
    return timezone.now()


def _tasks(request: HttpRequest, tab: str, tasks: "QuerySet[Task]", now: datetime) -> Values:
    shown = page_of(tasks, request)
    following = reverse(f"taskboard:{tab}_json") + paging.query_of(after=shown.following)
    return {
        "tasks": list(_shown(lines(shown.rows, tab, now))),
        "count": tasks.count(),
        "next": following if shown.following else None,
    }


def _shown(found: Iterable[Line]) -> Iterable[Values]:
    for line in found:
        task = line.task
        yield {
            "task_id": task.public_id, "goal": task.goal, "workflow": task.workflow, "status": task.status,
            "finished_at": task.finished_at, "expires_at": task.expires_at, "spent_usd": task.spent_usd,
            "items": task.total, "rows_estimated": line.size.rows, "bytes_estimated": line.size.bytes,
            "files": line.size.files, "why_kept": line.why,
        }  # fmt: skip


def _plan(row: PurgePlan) -> Values:
    return {
        "id": row.pk, "state": row.state.value, "by": row.by_name, "previewed_at": row.created_at, "day": row.day,
        "size": row.size, "sha256": row.digest, **row.sums, "asked_at": row.asked_at, "agreed_by": row.agreed_by_name,
        "refused_by": row.refused_by_name, "refused_why": row.refused_why, "begun_at": row.begun_at,
        "cancelled_at": row.cancelled_at, "finished_at": row.finished_at,
    }  # fmt: skip


def _line(row: PurgePlanTask) -> Values:
    told = {"task_id": row.public_id, "goal": row.goal, "outcome": row.outcome, "told": row.told}
    return {**told, "spent_usd": to_usd(row.spent_micro), "finished_at": row.finished_at, **row.seen}


def _record(row: PurgeRecord) -> Values:
    return {
        "task_id": row.public_id, "goal": row.goal, "workflow": row.workflow, "created_by": row.created_by_name,
        "created_at": row.created_at, "finished_at": row.finished_at, "purged_at": row.purged_at,
        "purged_by": row.purged_by, "agreed_by": row.agreed_by, "purge": row.plan_id,
        "spent_usd": to_usd(row.spent_micro), "removed_rows": row.removed, "counts": row.counts,
        "archive": row.archive, "sha256": row.archive_sha256,
    }  # fmt: skip


def _before(name: str, following: int | None) -> str | None:
    return f"{reverse(f'taskboard:{name}_json')}?before={following}" if following else None
