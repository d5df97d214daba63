"""The workflows of this installation: a list, and one page each with steps, rules, parameters, versions, checks."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from taskboard import looks, registry, workflow
from taskboard.declaration import ASK_A_PERSON, EVERYTHING, StepSpec
from taskboard.errors import NotFound
from taskboard.gates import Ruled
from taskboard.guards import may
from taskboard.registry import Known
from taskboard.views import funnel

Values = dict[str, Any]


@require_GET
@may()
def index(request: HttpRequest) -> HttpResponse:
    context = {"workflows": registry.overview(), "strangers": registry.strangers()}
    return render(request, "taskboard/workflows.html", context)


@require_GET
@may()
def page(request: HttpRequest, workflow: str) -> HttpResponse:
    known = _known(workflow)
    steps = [_shown(step, known.rules) for step in known.spec.steps.values()]
    context = {"known": known, "spec": known.spec, "steps": steps, "budget_rule": known.rules.get("")}
    return render(request, "taskboard/workflow.html", context)


def overview(request: HttpRequest) -> Mapping[str, Any]:
    strangers = [{"workflow": name, "open_tasks": number} for name, number in registry.strangers()]
    return {"workflows": [_told(known) for known in registry.overview()], "not_declared": strangers}


def data(request: HttpRequest, workflow: str) -> Mapping[str, Any]:
    known = _known(workflow)
    return {
        **_told(known),
        "plan": [str(sentence) for sentence in known.spec.plan],
        "steps": [_step(step, known.rules) for step in known.spec.steps.values()],
        "budget_rules": list(known.rules[""].sentences) if "" in known.rules else [],
        "parameters": [vars(parameter) for parameter in known.parameters],
        "versions": [vars(version) for version in known.versions],
        "findings": [vars(finding) for finding in known.findings],
    }


def _known(name: str) -> Known:
    if spec := workflow.find(name):
        return registry.known(spec)
    raise NotFound(_("No code of this installation declares the workflow %(name)s.") % {"name": name})


def _told(known: Known) -> Values:
    spec = known.spec
    return {
        "workflow": spec.name, "title": str(spec.title), "version": spec.version, "parallel": spec.parallel,
        "max_go_backs": spec.max_go_backs, "open_tasks": known.open, "warnings": known.warnings,
        "keep_for_days": None if known.kept is None else known.kept.days,
        "declared_keep_for_days": spec.keep_for.days,
    }  # fmt: skip


def _step(step: StepSpec, rules: Mapping[str, Ruled]) -> Values:
    return {
        "step": step.name, "writes": step.writes, "after": list(step.after), "after_all": list(step.after_all),
        "system": step.system, "asks_a_person": step.approval is not None,
        "rules": list(rules[step.name].sentences) if step.name in rules else [],
        "retries": step.retry.times, "time_limit_seconds": step.time_limit.total_seconds(),
        "find": "looked up" if step.finds else step.find, "verified": step.verify is not None,
        "on_go_back": step.on_go_back, "can_be_undone": step.undo is not None,
    }  # fmt: skip


def _shown(step: StepSpec, rules: Mapping[str, Ruled]) -> Values:
    return {
        "spec": step, "label": funnel.label(step, step.name), "after": _after(step), "facts": list(_facts(step)),
        "limits": list(_limits(step)), "asks": step.approval is not None, "rule": rules.get(step.name),
    }  # fmt: skip


def _after(step: StepSpec) -> str:
    if step.after_all == EVERYTHING:
        return _("after everything else, once for the whole task")
    if step.after_all:
        return _("after %(steps)s of all items, once for the whole task") % {
            "steps": ", ".join(step.after_all)
        }
    return _("after %(steps)s") % {"steps": ", ".join(step.after)} if step.after else _("first")


def _facts(step: StepSpec) -> Iterator[str]:
    """How its effect is found, proven and taken back."""
    if not step.writes:
        yield _("Changes nothing outside; it may simply run again.")
    elif step.finds:
        yield _("Looked up outside by its key.")
    elif step.find == ASK_A_PERSON:
        yield _("Only a person can find out whether it happened.")
    else:
        yield _("Doing it twice changes nothing more.")
    if step.writes:
        yield _("Proven afterwards.") if step.verify else _("Not proven: %(why)s") % {"why": step.unverified}
    if step.effect_key is not None:
        yield _("The same effect is adopted, also from other tasks.")
    if step.undo is not None:
        yield _("Can be taken back.")


def _limits(step: StepSpec) -> Iterator[str]:
    retry = step.retry
    told = ngettext(
        "tried again once, after %(first)s",
        "tried again %(times)d times, first after %(first)s, at most %(longest)s apart",
        retry.times,
    )
    words = {"first": looks.duration(retry.first), "longest": looks.duration(retry.longest)}
    yield told % {"times": retry.times, **words} if retry.times else _("not tried again by itself")
    yield _("at most %(time)s") % {"time": looks.duration(step.time_limit)}
    if step.fresh_for:
        yield _("fresh for %(time)s") % {"time": looks.duration(step.fresh_for)}
    if not callable(step.estimate) and float(step.estimate):
        yield _("about %(usd)s each") % {"usd": looks.dollars(step.estimate_usd({}))}
