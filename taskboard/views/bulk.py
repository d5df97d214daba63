"""Actions on many items: what one would do, its start, its progress with a result per item, its end."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRedirect
from django_stubs_ext import StrOrPromise

from taskboard import bulk, looks, selection
from taskboard.errors import BadInput
from taskboard.forms import ReasonForm, checked
from taskboard.guards import may, person
from taskboard.models import BulkAction, BulkJob, BulkResult, Task
from taskboard.responses import done
from taskboard.rights import OPERATE
from taskboard.selection import Selection
from taskboard.views import funnel
from taskboard.views.pages import number, visible_task

PER_PAGE = 100
EFFECTS: dict[str, StrOrPromise] = {
    BulkAction.RETRY: gettext_lazy(
        "Steps that failed or are blocked are tried again, under the same keys: nothing is done twice."
    ),
    BulkAction.SKIP: gettext_lazy(
        "Each item goes on as if its failed or blocked step had not been needed. The reason is kept in the journal."
    ),
    BulkAction.GIVE_UP: gettext_lazy(
        "Steps whose outcome is unknown count as failed. They can be tried again later, but not by themselves."
    ),
}


NOT_FOR: dict[str, StrOrPromise] = {
    BulkAction.RETRY: gettext_lazy("These have no failed or blocked step, or not the one chosen."),
    BulkAction.SKIP: gettext_lazy("These have no failed or blocked step, or not the one chosen."),
    BulkAction.GIVE_UP: gettext_lazy("These have no step whose outcome is unknown, or not the one chosen."),
}
"""Why items that match are passed over."""
UNKNOWN = gettext_lazy("Nobody knows yet whether their step happened: say so first, or give up.")
ANOTHER = gettext_lazy("What failed or is stuck is something else than what was chosen.")
KNOWN = gettext_lazy("It is known what happened: try them again or skip them.")


@dataclass(frozen=True)
class Kind:
    """Some of the items that are passed over, as the page tells of them."""

    hint: StrOrPromise
    passed: bulk.PassedOver
    url: str


@require_GET
@may(OPERATE)
def plan(request: HttpRequest, public_id: str) -> HttpResponse:
    """Asks first, with the number and a sample."""
    task = visible_task(request, public_id)
    action, selected = wished(request)
    planned = bulk.plan(task, action, selected)
    known = funnel.labels(task)
    context = {
        "task": task, "action": BulkAction(action), "effect": EFFECTS[action], "plan": planned,
        "steps": [(known.get(name) or funnel.label(None, name), count) for name, count in planned.steps.items()],
        "selected": selected, "needs_reason": action in bulk.NEEDS_REASON,
        "not_for": NOT_FOR[action], "url": _listed(task, selected, selected.fitting(action)),
        "kinds": [_kind(task, action, selected, one) for one in planned.passed],
    }  # fmt: skip
    return render(request, "taskboard/bulk_plan.html", context)


def _kind(task: Task, action: str, selected: Selection, passed: bulk.PassedOver) -> Kind:
    alike = replace(selected.passed_over(action), status=passed.status)
    return Kind(_hint(action, selected, passed.status), passed, _listed(task, selected, alike))


def _hint(action: str, selected: Selection, status: str) -> StrOrPromise:
    """What else to do, where something is amiss with items that are passed over."""
    if status not in ("failed", "blocked"):
        return ""
    if action == BulkAction.GIVE_UP:
        return KNOWN
    return ANOTHER if status == "failed" or selected.step or selected.error else UNKNOWN


def _listed(task: Task, selected: Selection, some: Selection) -> str:
    """Where exactly these items are listed; nowhere if rows were ticked, or chosen by another action."""
    if selected.items or selected.fits not in ("", some.fits):
        return ""
    return f"{task.get_absolute_url()}?{urlencode(some.conditions)}#items-title"


def wished(request: HttpRequest) -> tuple[str, Selection]:
    """What is to be done to which items. Raises BadInput where one of the two was not said."""
    action, selected = request.GET.get("action", ""), _selected(request)
    if action not in BulkAction.values or (selected.is_empty and "all" not in request.GET):
        raise BadInput(_("Tick some items first, or all that match, and choose what to do with them."))
    return action, selected


@require_POST
@may(OPERATE)
def begin(request: HttpRequest, public_id: str) -> HttpResponse:
    task, selected = visible_task(request, public_id), _selected(request)
    why = str(checked(ReasonForm(request.POST))["reason"])
    if selected.is_empty and "all" not in request.POST:
        raise BadInput(_("Tick some items first, or all that match, and choose what to do with them."))
    job = bulk.begin(task, person(request), request.POST.get("action", ""), selected, why)
    address = reverse("taskboard:bulk_job", args=[public_id, job.pk])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)  # type: ignore[attr-defined]


@require_GET
@may()
def page(request: HttpRequest, public_id: str, pk: int) -> HttpResponse:
    task = visible_task(request, public_id)
    job = job_of(task, pk)
    return render(request, "taskboard/bulk_job.html", {**parts(job), **results(request, job)})


@require_POST
@may(OPERATE)
def cancel(request: HttpRequest, public_id: str, pk: int) -> HttpResponse:
    job = job_of(visible_task(request, public_id), pk)
    bulk.cancel(job, person(request))
    return done(
        request,
        _("Cancelled. What was done stays done."),
        reverse("taskboard:bulk_job", args=[public_id, pk]),
    )


def parts(job: BulkJob) -> dict[str, Any]:
    """What everyone sees of a job."""
    spec = selection.of_json(job.selection)
    return {
        "task": job.task, "job": job, "action": BulkAction(job.action), "effect": EFFECTS[job.action],
        "conditions": list(spec.conditions.items()), "chosen": len(spec.items),
        "counts": {"done": job.done, "failed": job.failed, "skipped": job.skipped, "pending": left(job)},
        "percent": looks.percent(job.looked_at, job.total) if job.total else 100,
    }  # fmt: skip


def left(job: BulkJob) -> int:
    return 0 if job.finished_at else max(job.total - job.looked_at, 0)


def live_html(job: BulkJob) -> dict[str, str]:
    """The live regions of its page; once it is over there is nothing to cancel any more."""
    context = parts(job) | {"live": True, "newest": list(job.results.order_by("-position")[:10])}
    shown = {
        f"#{name}": render_to_string(f"taskboard/bulk_job.html#{name}", context)
        for name in ("progress", "newest")
    }
    return shown | ({"#job-actions": ""} if job.finished_at else {})


def version(job: BulkJob) -> tuple[object, ...]:
    return job.looked_at, job.finished_at


def results(request: HttpRequest, job: BulkJob) -> dict[str, Any]:
    """Results in the order of the items, by key; `only` narrows to one outcome."""
    only = request.GET.get("only", "")
    only = only if only in BulkResult.Outcome.values else ""
    found = job.results.filter(position__gt=number(request, "after"))
    rows = list((found.filter(outcome=only) if only else found)[: PER_PAGE + 1])
    shown = rows[:PER_PAGE]
    return {
        "results": shown,
        "only": only,
        "after": shown[-1].position if len(rows) > PER_PAGE else None,
        "newest": list(job.results.order_by("-position")[:10]),
    }


def job_of(task: Task, pk: int) -> BulkJob:
    found = get_object_or_404(BulkJob, task=task, pk=pk)
    found.task = task
    return found


def _selected(request: HttpRequest) -> Selection:
    """Ticked rows, or with `all` what the filter says."""
    told = request.POST if request.method == "POST" else request.GET
    if "all" in told:
        return selection.of_query(told.dict())
    return selection.chosen(told.getlist("item"))
