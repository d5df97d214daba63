"""The page of the outside systems: what writes to them, what is in flight, what waits; freeze and thaw."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from taskboard import freeze
from taskboard.guards import may, person
from taskboard.models import Freeze
from taskboard.rights import FREEZE, THAW
from taskboard.views import funnel

HOME = "taskboard:systems"


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    shown = [_shown(system) for system in freeze.systems()]
    return render(request, "taskboard/systems.html", {"systems": shown, "past": freeze.past()})


def data(request: HttpRequest) -> Mapping[str, Any]:
    return {
        "systems": [_values(system) for system in freeze.systems()],
        "past": [_freeze(one) for one in freeze.past()],
    }


@require_POST
@may(FREEZE)
def freeze_system(request: HttpRequest, system: str) -> HttpResponse:
    freeze.freeze(system, person(request), request.POST.get("reason", ""))
    messages.success(
        request, _("%(system)s is frozen: no write to it is begun any more.") % {"system": system}
    )
    return redirect(HOME)


@require_POST
@may(THAW)
def thaw_system(request: HttpRequest, system: str) -> HttpResponse:
    freeze.thaw(system, person(request), request.POST.get("reason", ""))
    messages.success(request, _("%(system)s is thawed: what waited goes on.") % {"system": system})
    return redirect(HOME)


def _shown(system: freeze.System) -> dict[str, Any]:
    writers = [
        (spec.title, [funnel.label(spec.known(name), name) for name in names if name in spec.steps])
        for spec, names in system.writers
    ]
    return {"system": system, "writers": writers}


def _values(system: freeze.System) -> dict[str, Any]:
    steps = [{"workflow": spec.name, "step": name} for spec, names in system.writers for name in names]
    return {
        "system": system.name, "frozen": _freeze(system.freeze) if system.freeze else None, "written_by": steps,
        "in_flight": [
            {"task_id": one.task.public_id, "item": one.item.key, "step": one.name, "started_at": one.started_at}
            for one in system.flying
        ],
        "in_flight_count": system.flying_count,
        "waiting": [{"task_id": task.public_id, "steps": number} for task, number in system.waiting],
        "waiting_count": system.waiting_count,
    }  # fmt: skip


def _freeze(one: Freeze) -> dict[str, Any]:
    return {
        "system": one.system, "since": one.frozen_at, "by": one.frozen_by, "reason": one.reason,
        "thawed_at": one.thawed_at, "thawed_by": one.thawed_by, "thaw_reason": one.thaw_reason,
    }  # fmt: skip
