"""The page of what needs a person, across all tasks."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from taskboard import attention, health
from taskboard.guards import may, person
from taskboard.models import Step
from taskboard.views import funnel
from taskboard.views.provider import link_to


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    found = attention.look(person(request))
    context = {
        "found": found,
        "unknown": [_row(step) for step in found.unknown],
        "blocked": [_row(step) for step in found.blocked],
        "failures": [_group(group) for group in found.failures],
        "silent": health.silent_roles(timezone.now()),
    }
    return render(request, "taskboard/attention.html", context)


def _row(step: Step) -> dict[str, Any]:
    step.item.task = step.task
    spec = funnel.spec_of(step.task)
    known = spec.steps.get(step.name) if spec else None
    return {"step": step, "label": funnel.label(known, step.name), "link": link_to(known, step)}


def _group(group: dict[str, Any]) -> dict[str, Any]:
    spec = funnel.spec_named(group["task__workflow"])
    known = spec.steps.get(group["name"]) if spec else None
    return {
        **group, "label": funnel.label(known, group["name"]), "task": group["task__public_id"],
        "goal": group["task__goal"],
    }  # fmt: skip
