"""The page of what needs a person, across all tasks, and who takes it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from taskboard import attention, health, taking
from taskboard.guards import may, person
from taskboard.models import AttentionTaken, BulkAction, Step, StepStatus, Task
from taskboard.views import funnel
from taskboard.views.provider import link_to

OPERATE = "taskboard.operate_task"
Row = dict[str, Any]


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    found = attention.look(person(request), now)
    context = {
        "found": found,
        "unknown": [_step(step, found.taken) for step in found.unknown],
        "blocked": [_step(step, found.taken) for step in found.blocked],
        "failures": [_cause(group, found.taken) for group in found.failures],
        "still": [_still(task, found.taken) for task in found.still],
        "silent": health.silent_roles(now),
        "seen": attention.fingerprint(now),
    }
    return render(request, "taskboard/attention.html", context)


@require_POST
@may(OPERATE)
def take(request: HttpRequest) -> HttpResponse:
    told = request.POST
    taking.take(person(request), told.get("kind", ""), told.get("key", ""), told.get("former", ""))
    return back_to_attention(request, _("It is yours: the others see that you are at it."))


@require_POST
@may(OPERATE)
def give_back(request: HttpRequest) -> HttpResponse:
    taking.give_back(person(request), request.POST.get("kind", ""), request.POST.get("key", ""))
    return back_to_attention(request, _("Given back: somebody else can take it."))


def back_to_attention(request: HttpRequest, message: str) -> HttpResponse:
    """The list anew, whole: what was settled is gone from it, and the next row has moved up."""
    messages.success(request, message)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRefresh()
    return redirect("taskboard:attention")


def news_html(seen: str, now: datetime) -> str:
    """Says that the list is another one by now; the page itself does not jump under the reader's hands."""
    changed = attention.fingerprint(now) != seen
    return render_to_string("taskboard/_attention_news.html", {"changed": changed}).strip()


Taken = Mapping[tuple[str, str], AttentionTaken]


def _named(kind: str, key: str, taken: Taken) -> Row:
    return {"kind": kind, "key": key, "taken": taken.get((kind, key))}


def _step(step: Step, taken: Taken) -> Row:
    step.item.task = step.task
    spec = funnel.spec_of(step.task)
    known = spec.known(step.name) if spec else None
    told = {"step": step, "label": funnel.label(known, step.name), "link": link_to(known, step)}
    return told | _named(attention.STEP, attention.key_of_step(step), taken)


def _cause(group: dict[str, Any], taken: Taken) -> Row:
    spec = funnel.spec_named(group["task__workflow"])
    known = spec.known(group["name"]) if spec else None
    meant = {"all": 1, "step": group["name"], "at": "failed", "error": group["error_class"]}
    chosen = urlencode({name: value for name, value in meant.items() if value})
    told = {
        "label": funnel.label(known, group["name"]), "task": group["task__public_id"], "chosen": chosen,
        "goal": group["task__goal"], "retry": BulkAction.RETRY.value,
    }  # fmt: skip
    return group | told | _named(attention.CAUSE, attention.key_of_cause(group), taken)


def _still(task: Task, taken: Taken) -> Row:
    told = {"task": task, "at_work": task.steps_in(StepStatus.STARTED)}
    return told | _named(attention.STILL, attention.key_of_task(task), taken)
