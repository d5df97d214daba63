"""The page of what needs a person, across all tasks, and who takes it."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from taskboard import attention, attention_taken, health, looks, summary, wording, workflow
from taskboard.cleaning import clean_text
from taskboard.gates import gate
from taskboard.guards import may, person
from taskboard.models import AttentionTaken, BulkAction, Risk, Step, StepStatus, Task
from taskboard.responses import done, region, wants_part
from taskboard.rights import OPERATE
from taskboard.views import funnel
from taskboard.views.effect_links import link_to

TEMPLATE = "taskboard/attention.html"
Row = dict[str, Any]


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    context = _context(request)
    if wants_part(request):
        return HttpResponse("".join(_regions(request, context)))
    return render(request, TEMPLATE, context)


@require_POST
@may(OPERATE)
def take(request: HttpRequest) -> HttpResponse:
    attention_taken.take(person(request), *_row(request), request.POST.get("former", ""))
    return back_to_attention(request, _("It is yours: the others see that you are at it."))


@require_POST
@may(OPERATE)
def give_back(request: HttpRequest) -> HttpResponse:
    attention_taken.give_back(person(request), *_row(request))
    return back_to_attention(request, _("Given back: somebody else can take it."))


def _row(request: HttpRequest) -> tuple[str, str]:
    """Which row is meant: its kind and its key."""
    return clean_text(request.POST.get("kind", "")), clean_text(request.POST.get("key", ""))


def back_to_attention(request: HttpRequest, message: str) -> HttpResponse:
    """The lists anew: what was settled is gone, and what is being typed in another row stays."""
    return done(request, message, reverse("taskboard:attention"), *_regions(request, _context(request)))


def news_html(seen: str, now: datetime) -> str:
    """Says that the list is another one by now; the page itself does not jump under the reader's hands."""
    changed = attention.fingerprint(now) != seen
    return render_to_string("taskboard/_attention_news.html", {"changed": changed}).strip()


def _context(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    found = attention.look(person(request), now)
    return {
        "found": found,
        "unknown": [_step(step, found.taken) for step in found.unknown],
        "twice": [_twice(risk) for risk in found.twice],
        "blocked": [_step(step, found.taken) for step in found.blocked],
        "failures": [_cause(group, found.taken) for group in found.failures],
        "still": [_still(task, found.taken) for task in found.still],
        "stopped": _stopped(found.stopped, now),
        "retried": wording.tried_again(found.retried.count),
        "silent": health.silent_roles(now),
        "seen": attention.fingerprint(now),
    }


def _regions(request: HttpRequest, context: dict[str, Any]) -> list[str]:
    """The lists, and a stream that goes on from what they show now."""
    lists = render_to_string(f"{TEMPLATE}#lists", context, request)
    stream = render_to_string(f"{TEMPLATE}#stream", context, request)
    return [region("#needs", lists), region("#stream", stream, "outerHTML")]


Taken = Mapping[tuple[str, str], AttentionTaken]


def _named(kind: str, key: str, taken: Taken) -> Row:
    """What its form sends, and a name by which the row stays the same element while others come and go."""
    name = f"{kind}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"
    return {"kind": kind, "key": key, "id": name, "taken": taken.get((kind, key))}


def _step(step: Step, taken: Taken) -> Row:
    step.item.task = step.task
    spec = funnel.spec_of(step.task)
    known = spec.known(step.name) if spec else None
    told = {"step": step, "label": funnel.label(known, step.name), "link": link_to(known, step)}
    return told | _named(attention.STEP, attention.key_of_step(step), taken)


def _twice(risk: Risk) -> Row:
    if risk.item:
        risk.item.task = risk.task
    return {"risk": risk, "id": f"twice-{risk.pk}"}


def _cause(group: dict[str, Any], taken: Taken) -> Row:
    spec = workflow.find(group["task__workflow"])
    known = spec.known(group["name"]) if spec else None
    meant = {"all": 1, "step": group["name"], "at": "failed", "error": group["error_class"]}
    chosen = urlencode({name: value for name, value in meant.items() if value})
    told = {
        "label": funnel.label(known, group["name"]), "task": group["task__public_id"], "chosen": chosen,
        "goal": group["task__goal"], "retry": BulkAction.RETRY.value, "cause": looks.cause(group["error_class"]),
    }  # fmt: skip
    return group | told | _named(attention.CAUSE, attention.key_of_cause(group), taken)


def _still(task: Task, taken: Taken) -> Row:
    told = {"task": task, "at_work": task.steps_in(StepStatus.STARTED)}
    return told | _named(attention.STILL, attention.key_of_task(task), taken)


def _stopped(tasks: Sequence[Task], now: datetime) -> list[Row]:
    """Why each one stands, and which groups can decide."""
    asked = gate().waits_for([task.pk for task in tasks], now) if tasks else {}
    refusals = summary.refusals(tasks)
    return [
        {"task": task, "why": wording.why(task, refusals), "asked": asked.get(task.pk, ())} for task in tasks
    ]
