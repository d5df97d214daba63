"""What scripts read of one task beyond its figures, and of the pages below it; docs/json.md."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from taskboard import bulk as actions
from taskboard import preview
from taskboard.compare import Pair
from taskboard.forecast import Forecast
from taskboard.guards import person
from taskboard.models import Artifact, BulkJob, Comment, Instruction, LedgerEntry, Risk, Task
from taskboard.money import to_usd
from taskboard.retention import expiry
from taskboard.rights import require
from taskboard.views import artifact_links, parts, steering
from taskboard.views import brief as briefs
from taskboard.views import bulk as bulk_pages
from taskboard.views import comments as said
from taskboard.views import compare as compared
from taskboard.views import preview as previews
from taskboard.views.pages import visible_task

MOST = 200
Values = dict[str, Any]


def of_task(task: Task) -> Values:
    """The parts of its page: how far each step and sentence is, what it will cost, what people said and want."""
    steered, forecast = steering.context(task), parts.budget(task)["forecast"]
    lines = parts.summary(task)["funnel"]
    return {
        "by_step": [
            {"step": line.name, "label": line.label, "done": line.done, "total": line.total, "counts": line.counts}
            for line in lines
        ],
        "plan_status": [sentence.status for sentence in parts.plan(task)["sentences"]],
        "forecast": forecast and _forecast(forecast),
        "stop_after": task.stop_after,
        "instructions": [_instruction(one) for one in (*steered["queued"], *steered["taken"])],
        "open_risks": [risk(one) for one in steered["open_risks"]],
        "closed_risks": [risk(one) for one in steered["closed_risks"]],
        "comments": [comment(one) for one in said.of_task(task)["comments"]],
        "artifacts": [artifact_of(one) for one in _newest(task)],
        "actions": [_job(one) for one in parts.bulk(task)["bulk_jobs"]],
        "why_held": expiry.why_held(task, timezone.now()),
    }  # fmt: skip


def compare(request: HttpRequest, public_id: str) -> Values:
    task = visible_task(request, public_id)
    other = compared.earlier(request, task)
    if other is None:
        return {"task_id": public_id, "earlier": None, "counts": {}, "items": [], "next": None}
    told = compared.compared(request, task, other)
    base = reverse("taskboard:compare_json", args=[public_id])
    return {
        "task_id": public_id, "earlier": other.public_id, "show": told["verdict"], "measure": told["measured_as"],
        "counts": {kind: count for kind, _word, count, _url in told["tabs"]}, "complete": told["complete"],
        "changed_secrets": told["changed_secrets"], "items": [_pair(one) for one in told["pairs"]],
        "next": base + told["following"] if told["following"] else None,
    }  # fmt: skip


def bulk_plan(request: HttpRequest, public_id: str) -> Values:
    """What an action would do; nothing is begun."""
    require(person(request))
    task = visible_task(request, public_id)
    action, selected = bulk_pages.wished(request)
    planned = actions.plan(task, action, selected)
    return {
        "task_id": public_id, "action": action, "selection": selected.as_json(), "total": planned.total,
        "steps": dict(planned.steps), "sample": [item.key for item in planned.sample], "left_alone": planned.others,
        "passed_over": [
            {"status": some.status, "count": some.count, "sample": [item.key for item in some.sample]}
            for some in planned.passed
        ],
    }  # fmt: skip


def bulk_job(request: HttpRequest, public_id: str, pk: int) -> Values:
    job = bulk_pages.job_of(visible_task(request, public_id), pk)
    told = bulk_pages.results(request, job)
    base = reverse("taskboard:bulk_job_json", args=[public_id, pk])
    only = f"only={told['only']}&" if told["only"] else ""
    return {
        "task_id": public_id, **_job(job), "selection": job.selection, "reason": job.reason,
        "results": [{"item": one.item_key, "outcome": one.outcome, "told": one.told} for one in told["results"]],
        "next": f"{base}?{only}after={told['after']}" if told["after"] else None,
    }  # fmt: skip


def brief(request: HttpRequest, public_id: str) -> Values:
    told = briefs.context(visible_task(request, public_id))
    last: Any = told["last"]
    kept = {"number": last.number, "at": last.at, "text": last.text} if last else None
    return {"task_id": public_id, "text": told["text"], "last": kept, "changes": told["diff"]}


def artifact(request: HttpRequest, public_id: str, number: int) -> Values:
    task = visible_task(request, public_id)
    found = previews.stored(task, number)
    missing = artifact_links.is_missing(found)
    shown = preview.Preview("") if missing else preview.preview(found)
    return {
        "task_id": public_id, **artifact_of(found), "missing": missing, "kind": shown.kind, "text": shown.text,
        "rows": shown.rows, "cut": shown.cut, "file": reverse("taskboard:artifact", args=[public_id, found.pk]),
        "versions": [artifact_of(one) for one in previews.versions(found)],
    }  # fmt: skip


def artifact_of(one: Artifact) -> Values:
    return {
        "id": one.pk, "name": one.name, "version": one.version, "item": one.item.key if one.item else "",
        "type": one.media_type, "size": one.size, "sha256": one.sha256, "created_at": one.created_at,
        "place": "" if one.managed else one.place, "expired_at": artifact_links.expired_at(one),
    }  # fmt: skip


def comment(one: Comment) -> Values:
    return {
        "by": one.author_name, "at": one.at, "item": one.item.key if one.item else "",
        "text": "" if one.withdrawn_at else one.text, "withdrawn_at": one.withdrawn_at,
    }  # fmt: skip


def cost(one: LedgerEntry) -> Values:
    return {
        "at": one.at, "step": one.step, "usd": to_usd(one.amount_micro), "estimated": one.estimated,
        "model": one.model, "calls": one.calls, "tokens_in": one.tokens_in, "tokens_out": one.tokens_out,
        "note": one.note,
    }  # fmt: skip


def _newest(task: Task) -> Iterable[Artifact]:
    return Artifact.objects.filter(task=task).select_related("item").order_by("-pk")[:MOST]


def _forecast(ahead: Forecast) -> Values:
    steps = [
        {
            "step": step.name, "spent_usd": to_usd(step.spent_micro), "left": step.left,
            "mean_usd": to_usd(step.mean_micro), "known": step.known,
        }
        for step in ahead.steps
    ]  # fmt: skip
    return {"total_usd": to_usd(ahead.total_micro), "estimated": ahead.estimated, "steps": steps}


def _instruction(one: Instruction) -> Values:
    return {
        "text": one.text, "added_by": one.added_by, "added_at": one.added_at, "taken_up_by": one.taken_up_by,
        "taken_up_at": one.taken_up_at,
    }  # fmt: skip


def risk(one: Risk) -> Values:
    return {
        "text": one.text, "severity": one.severity, "item": one.item.key if one.item else "",
        "raised_by": one.raised_by, "raised_at": one.raised_at, "closed_by": one.closed_by,
        "closed_at": one.closed_at, "closed_why": one.closed_why,
    }  # fmt: skip


def _job(job: BulkJob) -> Values:
    return {
        "id": job.pk, "url": reverse("taskboard:bulk_job", args=[job.task.public_id, job.pk]), "action": job.action,
        "by": job.by_name, "total": job.total, "done": job.done, "failed": job.failed, "skipped": job.skipped,
        "created_at": job.created_at, "finished_at": job.finished_at, "cancelled_at": job.cancelled_at,
        "cancelled_by": job.cancelled_by_name, "stopped_why": job.stopped_why,
    }  # fmt: skip


def _pair(pair: Pair) -> Values:
    now, was = pair.now, pair.was
    return {
        "key": pair.key, "label": pair.label, "verdict": pair.verdict, "status": now.status if now else "",
        "status_before": was.status if was else "", "measure": now.measure if now else None,
        "measure_before": was.measure if was else None,
    }  # fmt: skip
