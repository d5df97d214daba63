"""The context of each part of the task page: what every viewer of the task may see, nothing of the viewer."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_GET

from taskboard import attention, forecast, looks, secret_params, usage, wording
from taskboard.budget import left_micro
from taskboard.errors import NotFound
from taskboard.gates import gate
from taskboard.guards import may
from taskboard.models import Artifact, BulkJob, Checkpoint, ItemStatus, Step, Task, TaskStatus
from taskboard.models.task import SETTLED_ITEMS
from taskboard.views import funnel, resumed
from taskboard.views import plan as planned
from taskboard.views.artifact_links import show
from taskboard.views.entries import entries, one_per_resume
from taskboard.views.pages import visible_task

Context = dict[str, Any]
NEWEST = 20
MOST_ARTIFACTS = 12
MOST_QUESTIONS = 5
MOST_BULK = 3
LONGEST_QUERY = 4000


def state(task: Task) -> Context:
    return {"why": wording.at_a_glance(task, timezone.now()), "is_needy": attention.is_needy(task)}


def summary(task: Task) -> Context:
    counts = task.item_counts
    cancelled = task.status == TaskStatus.CANCELLED
    far = (ItemStatus.DONE, ItemStatus.SKIPPED) if cancelled else SETTLED_ITEMS
    settled = sum(counts.get(status, 0) for status in far)
    return {
        "counts": funnel.shown(task, counts),
        "cancelled": cancelled,
        "settled": settled,
        "percent": looks.percent(settled, task.total),
        "unlisted": sum(task.unlisted.values()),
        "funnel": funnel.item_steps(task),
    }


def whole(task: Task) -> Context:
    """The steps of the whole task, which belong to no single item."""
    steps = list(Step.objects.current().filter(item__task=task, item__position=0).order_by("id"))
    known = funnel.to_come(task, funnel.labels(task, whole_task=True), steps)
    return {"whole_steps": funnel.marks(known, steps), "whole_started": bool(steps)}


def budget(task: Task) -> Context:
    left = left_micro(task)
    spec = funnel.spec_of(task)
    going_on = {} if task.is_finished else funnel.left(task, funnel.item_steps(task))
    ahead = forecast.look(task, spec.steps if spec else {}, going_on)
    labels = funnel.labels(task) | funnel.labels(task, whole_task=True)
    costs = [(labels.get(step.name) or funnel.label(None, step.name), step) for step in ahead.steps]
    return {
        "left_micro": None if left is None else max(left, 0),
        "guessed_micro": usage.estimated_micro(task),
        "forecast": ahead if ahead.says_something else None,
        "too_dear": task.limit_micro is not None and ahead.total_micro > task.limit_micro,
        "step_costs": [one for one in costs if one[1].spent_micro or one[1].ahead_micro],
    }


def says(task: Task) -> Context:
    return {}


def plan(task: Task) -> Context:
    return {"sentences": planned.sentences(task, funnel.item_steps(task))}


def resume(task: Task) -> Context:
    return {"resumed": resumed.last(task)}


def bulk(task: Task) -> Context:
    """The newest actions on many items at once."""
    return {"bulk_jobs": list(BulkJob.objects.filter(task=task).order_by("-pk")[:MOST_BULK])}


def questions(task: Task) -> Context:
    asked = gate().open_questions(task, MOST_QUESTIONS)
    shown = [{**one, "asked_at": parse_datetime(str(one["requested_at"]))} for one in asked]
    waits = gate().waits_for([task.pk], timezone.now()).get(task.pk, ()) if asked else ()
    count = sum(group.count for group in waits)
    return {
        "questions": shown,
        "question_count": count,
        "more_questions": max(count - len(shown), 0),
        "answers": gate().answered(task),
    }


def artifacts(task: Task) -> Context:
    """Those of the whole task first; two short queries, since no index has them in this order."""
    found = Artifact.objects.filter(task=task).order_by("-pk")
    of_task = list(found.filter(item=None)[: MOST_ARTIFACTS + 1])
    known = {artifact.pk for artifact in of_task}
    newest = of_task + [one for one in found[: MOST_ARTIFACTS + 1] if one.pk not in known]
    shown = [show(task, artifact) for artifact in newest[:MOST_ARTIFACTS]]
    return {"artifacts": shown, "more_artifacts": len(newest) > MOST_ARTIFACTS}


def checkpoints(task: Task) -> Context:
    newest = Checkpoint.objects.filter(task=task).order_by("-ordinal")[: 2 * NEWEST]
    return {"entries": entries(task, one_per_resume(newest)[:NEWEST])}


PARTS: Mapping[str, Callable[[Task], Context]] = {
    "state": state, "summary": summary, "whole": whole, "budget": budget, "says": says, "plan": plan,
    "questions": questions, "resume": resume, "bulk": bulk, "artifacts": artifacts, "checkpoints": checkpoints,
}  # fmt: skip


def all_of(task: Task) -> Context:
    """What the page needs for all of its parts."""
    context: Context = {"task": task}
    for build in PARTS.values():
        context |= build(task)
    return context


def html_of(task: Task, name: str) -> str:
    """One part as the stream and actions send it: without a request, so the same for everyone."""
    return render_to_string(f"taskboard/task.html#{name}", {"task": task, **PARTS[name](task)})


def refresh_html(task: Task) -> str:
    """Makes each viewer's page fetch its own buttons once the set of possible actions is another one."""
    return render_to_string("taskboard/_refresh.html", {"task": task, "actions": action_set(task)})


def action_set(task: Task) -> str:
    """Which partial under `taskboard/actions/` offers what can be done now."""
    return "held" if task.held else task.status


def actions_of(task: Task) -> Context:
    """The template of the buttons with what they would do now, and the address of a form filled in like this
    task's."""
    spec = funnel.spec_of(task)
    params = {**secret_params.public(spec, task.params), "limit_usd": task.limit_usd}
    query = urlencode({name: value for name, value in params.items() if value is not None})
    query = query if len(query) < LONGEST_QUERY else urlencode({"again": task.public_id})
    again = f"{reverse('taskboard:new_task', args=[task.workflow])}?{query}" if spec else ""
    return {
        "actions": f"taskboard/actions/{action_set(task)}.html", "again_url": again,
        "flying": task.steps_in("started"), "asked": _asked(task),
        "claimable": task.steps_in("pending"),
    }  # fmt: skip


def _asked(task: Task) -> int:
    """How many questions are open; the one about the budget belongs to no step."""
    if not (task.steps_in("waiting_approval") or task.out_of_budget):
        return 0
    return sum(group.count for group in gate().waits_for([task.pk], timezone.now()).get(task.pk, ()))


def actions_html(request: HttpRequest, task: Task) -> str:
    """The buttons that this task and this person's rights allow."""
    return render_to_string("taskboard/_actions.html", {"task": task, **actions_of(task)}, request)


@require_GET
@may()
def actions(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    return HttpResponse(actions_html(request, task))


@require_GET
@may()
def part(request: HttpRequest, public_id: str, name: str) -> HttpResponse:
    task = visible_task(request, public_id)
    if name not in PARTS:
        raise NotFound(f"A task has no part {name[:40]!r}.")
    return render(request, f"taskboard/task.html#{name}", {"task": task, **PARTS[name](task)})
