"""What scripts read of many answers at once, of samples, oversight and absences; docs/json.md."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from approvals import delegation, oversight
from approvals.models import Absence, BulkDecision, BulkDecisionRow
from approvals.oversight import Figures
from approvals.rights import DECIDE, OVERSEE, SEE
from approvals.views import bulk as bulk_views
from approvals.views import sample as sample_views
from approvals.views.export import PERIOD
from approvals.views.oversight import period_of
from taskboard.guards import person
from taskboard.rights import require

Values = dict[str, Any]


def bulk(request: HttpRequest, pk: int) -> Mapping[str, Any]:
    """A choice of questions with a result for each: before it is confirmed, and while it is carried out."""
    require(person(request), SEE)
    found = bulk_views.find(request, pk)
    told = bulk_views.results(request, found)
    base = reverse("approvals:bulk_json", args=[pk])
    only = f"only={told['only']}&" if told["only"] else ""
    return {
        **_bulk(found), "results": [_row(row) for row in told["rows"]],
        "next": f"{base}?{only}after={told['after']}" if told["after"] else None,
    }  # fmt: skip


def sample(request: HttpRequest) -> Mapping[str, Any]:
    """Whether there are enough questions of a kind to draw a sample of them."""
    require(person(request), DECIDE)
    told = sample_views.offered(request, request.GET)
    return {
        "task_id": told["task"].public_id, "step": told["step"], "count": told["number"], "fewest": told["fewest"],
    }  # fmt: skip


def oversight_figures(request: HttpRequest) -> Mapping[str, Any]:
    require(person(request), OVERSEE)
    days = period_of(request)
    found = oversight.report(person(request), days, timezone.now())
    return {
        "days": days, "all": _figures(found.all), "closed": found.closed, "expired": found.expired,
        "by_day": [{"day": day, "counts": counts} for day, counts in found.days],
        "waits": [{"wait": str(word), "count": count} for word, count in found.waits],
        "people": [_figures(one) for one in found.people],
        "purged_tasks": found.purged_tasks, "purged_questions": found.purged_questions,
    }  # fmt: skip


def absences(request: HttpRequest) -> Mapping[str, Any]:
    user, now = person(request), timezone.now()
    require(user, SEE)
    stands_for = Absence.objects.current(now).filter(substitute=user).select_related("user", "substitute")
    return {
        "ahead": [_absence(one) for one in delegation.entries(user, now)],
        "stands_for": [_absence(one) for one in stands_for],
    }


def export(request: HttpRequest) -> Mapping[str, Any]:
    """Where the decisions of the last days are to be had."""
    require(person(request), SEE)
    today = timezone.localdate()
    query = f"{reverse('approvals:decisions_file')}?since={today - PERIOD:%Y-%m-%d}&until={today:%Y-%m-%d}"
    return {"since": today - PERIOD, "until": today, "csv": query, "jsonl": f"{query}&as=jsonl"}


def _bulk(found: BulkDecision) -> Values:
    return {
        "id": found.pk, "outcome": found.outcome, "sample": found.sample, "bounds": found.bounds,
        "reason": found.reason, "by": found.by_name, "created_at": found.created_at, "begun_at": found.begun_at,
        "total": found.total, "done": found.done, "refused": found.refused, "cancelled_at": found.cancelled_at,
        "stopped_why": found.stopped_why, "finished_at": found.finished_at,
    }  # fmt: skip


def _row(row: BulkDecisionRow) -> Values:
    return {
        "question": row.approval_id, "task_id": row.approval.task.public_id, "result": row.result, "told": row.told,
    }  # fmt: skip


def _figures(one: Figures) -> Values:
    return {
        "name": one.name, "answers": one.answers, "median_seconds": _seconds(one.median), "timed": one.timed,
        "glances": one.glances, "together": one.together, "noes": one.noes,
    }  # fmt: skip


def _seconds(length: timedelta | None) -> float | None:
    return None if length is None else length.total_seconds()


def _absence(one: Absence) -> Values:
    return {
        "user": one.user.get_username(), "substitute": one.substitute.get_username(), "since": one.since,
        "until": one.until, "set_by": one.set_by_name,
    }  # fmt: skip
