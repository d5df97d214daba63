"""What scripts read of the pages about tasks, items and the journal. Fields are only ever added; docs/json.md."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from taskboard import attention as needs
from taskboard import comments, health, journal, selection, summary, wording
from taskboard.gates import Asked, gate
from taskboard.guards import person
from taskboard.lists import feed, find_item, paging
from taskboard.lists.tasks import Choice
from taskboard.models import Artifact, Checkpoint, Item, LedgerEntry, Step, StepStatus, Task
from taskboard.money import to_usd
from taskboard.views import items as table
from taskboard.views import listing, task_data
from taskboard.views.journal import asked_of, read
from taskboard.views.pages import item_of, number, visible_task

PER_PAGE = 200
Values = dict[str, Any]


def tasks(request: HttpRequest) -> Values:
    visible = Task.objects.visible_to(person(request))
    choice = Choice.of(request.GET)
    shown = listing.rows(visible, choice, request.GET.get("after", ""))
    waits = gate().waits_for([one.pk for one in shown.rows], timezone.now())
    counts = {tab or "all": count for tab, count in choice.counts(visible).items()}
    address = reverse("taskboard:tasks_json") + choice.query(after=shown.following)
    refusals = summary.refusals(shown.rows)
    return {
        "tasks": [_task(one, refusals) | {"waits_for": _asked(waits, one)} for one in shown.rows],
        "counts": counts,
        "next": address if shown.following else None,
    }


def task(request: HttpRequest, public_id: str) -> Values:
    one = visible_task(request, public_id)
    return {
        **summary.as_values(one), "url": one.get_absolute_url(), "why": wording.why(one),
        "workflow_version": one.workflow_version, "plan": one.plan, "params": one.params, "version": one.version,
        **task_data.of_task(one),
    }  # fmt: skip


def items(request: HttpRequest, public_id: str) -> Values:
    one = visible_task(request, public_id)
    view = table.view_of(request.GET.dict())
    rows = view.selected.narrow(selection.items_of(one))
    shown = paging.page(rows, view.order, view.after, PER_PAGE)
    following = _with(request, after=shown.following) if shown.following else None
    return {"task_id": public_id, "items": [_item(one, row) for row in shown.rows], "next": following}


def item(request: HttpRequest, public_id: str, key: str) -> Values:
    one = visible_task(request, public_id)
    row = item_of(one, key)
    find_item = Artifact.objects.filter(item=row).select_related("item")
    told = Checkpoint.objects.filter(task=one, item_key=key).order_by("ordinal")
    return {
        "task_id": public_id,
        **_item(one, row),
        "params": row.params,
        "steps": [_step(step) for step in Step.objects.filter(item=row).order_by("pk")],
        "artifacts": [task_data.artifact_of(artifact) for artifact in find_item.order_by("pk")],
        "costs": [task_data.cost(entry) for entry in LedgerEntry.objects.filter(item=row)[:PER_PAGE]],
        "comments": [task_data.comment(comment) for comment in comments.of_item(row)[:PER_PAGE]],
        "journal": [journal.as_json(checkpoint) for checkpoint in told[:PER_PAGE]],
    }


def journal_rows(request: HttpRequest, public_id: str) -> Values:
    one = visible_task(request, public_id)
    shown, more, _looked_back_to = read(one, asked_of(request), PER_PAGE)
    following = _with(request, before=more) if more else None
    return {"task_id": public_id, "rows": [journal.as_json(row) for row in shown], "next": following}


def attention(request: HttpRequest) -> Values:
    now = timezone.now()
    seen = needs.look(person(request), now)
    refusals = summary.refusals(seen.stopped)
    return {
        "unknown": [_stuck(step) for step in seen.unknown],
        "unknown_count": seen.unknown_count,
        "twice": [{"task_id": one.task.public_id, **task_data.risk(one)} for one in seen.twice],
        "twice_count": seen.twice_count,
        "blocked": [_stuck(step) for step in seen.blocked],
        "blocked_count": seen.blocked_count,
        "failures": [_cause(group) for group in seen.failures],
        "failure_count": seen.failure_count,
        "standing_still": [_task(one, refusals) for one in seen.still],
        "stopped": [_task(one, refusals) for one in seen.stopped],
        "undelivered_count": seen.undelivered,
        "undelivered_since": seen.undelivered_since,
        "silent": [{"role": one.role, "seen_at": one.last} for one in health.silent_roles(now)],
    }


def activity(request: HttpRequest) -> Values:
    wish = feed.Wish.of(request.GET)
    shown = feed.read(Task.objects.visible_to(person(request)), wish, number(request, "before"))
    return {
        "rows": [{"task_id": row.task.public_id, **journal.as_json(row)} for row in shown.rows],
        "next": _with(request, before=shown.following) if shown.following else None,
    }


def found_items(request: HttpRequest) -> Values:
    how = request.GET.get("how", "")
    shown = find_item.find(person(request), request.GET.get("q", ""), how, number(request, "before"))
    following = _with(request, how=shown.how, before=shown.following) if shown.following else None
    rows = [{"task_id": row.task.public_id, **_item(row.task, row)} for row in shown.rows]
    return {"items": rows, "how": shown.how, "too_many": shown.too_many, "next": following}


def _with(request: HttpRequest, **other: object) -> str:
    """The address that was asked for, with something else in its query."""
    query = request.GET.copy()
    for name, value in other.items():
        query[name] = str(value)
    return f"{request.path.removesuffix('.json').removesuffix('/')}.json?{query.urlencode()}"


def _task(task: Task, refusals: wording.Refusals) -> Values:
    return {
        "task_id": task.public_id, "url": task.get_absolute_url(), "workflow": task.workflow, "goal": task.goal,
        "status": task.status, "held": task.held, "reason": task.reason, "why": wording.why(task, refusals),
        "says": task.says, "progress": summary.progress(task), "budget": {
            "limit_usd": task.limit_usd, "spent_usd": task.spent_usd, "reserved_usd": task.reserved_usd,
        },
        "created_by": task.created_by_name, "created_at": task.created_at, "updated_at": task.updated_at,
        "started_at": task.started_at, "finished_at": task.finished_at,
    }  # fmt: skip


def _asked(waits: Mapping[int, Any], task: Task) -> list[Values]:
    asked: list[Asked] = list(waits.get(task.pk, ()))
    return [{"group": one.group, "count": one.count, "oldest": one.oldest} for one in asked]


def _item(task: Task, item: Item) -> Values:
    return {
        "key": item.key, "label": item.label, "status": item.status, "stage": item.stage,
        "cost_usd": to_usd(item.cost_micro), "go_backs": item.go_backs, "updated_at": item.updated_at,
        "url": reverse("taskboard:item", args=[task.public_id, item.key]),
    }  # fmt: skip


def _step(step: Step) -> Values:
    return {
        "step": step.name, "revision": step.revision, "status": step.status, "attempt": step.attempt,
        "idempotency_key": step.idempotency_key, "external_id": step.external_id, "summary": step.summary,
        "outputs": step.outputs, "error": step.error, "error_class": step.error_class,
        "cost_usd": to_usd(step.cost_micro), "due_at": step.due_at, "started_at": step.started_at,
        "executed_at": step.executed_at, "verified_at": step.verified_at, "verified_how": step.verified_how,
        "finished_at": step.finished_at, "checked_at": step.checked_at,
        "question": gate().question_of(step) if step.status == StepStatus.WAITING_APPROVAL else None,
    }  # fmt: skip


def _stuck(step: Step) -> Values:
    return {"task_id": step.task.public_id, "item": step.item.key, **_step(step)}


def _cause(group: Mapping[str, Any]) -> Values:
    return {
        "task_id": group["task__public_id"], "step": group["name"], "error_class": group["error_class"],
        "count": group["count"], "first": group["first"], "latest": group["latest"], "example": group["example"],
        "example_item": group["example_key"],
    }  # fmt: skip
