"""A purge on its way: the preview, the second administrator's word, the run with its progress, the result."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from taskboard import hints
from taskboard.errors import BadInput, WrongState
from taskboard.guards import may, person
from taskboard.lists import export
from taskboard.models import PurgePlan, PurgePlanTask
from taskboard.models.task import Task
from taskboard.money import to_usd
from taskboard.responses import done, download
from taskboard.retention import consent, disk, expiry, plans
from taskboard.retention.plans import recorded
from taskboard.retention.preview import Preview
from taskboard.retention.tables import tables
from taskboard.rights import RETAIN
from taskboard.views.pages import number
from taskboard.views.retention import PER_PAGE, list_of_purges

State = PurgePlan.State
TEMPLATE = "taskboard/purge_plan.html"


@require_safe
@may(RETAIN)
def index(request: HttpRequest) -> HttpResponse:
    rows, following = page_of_plans(request)
    context = {
        "heading": _("Previews and purges"), "table": "taskboard/_purges.html", "may_go_on": True,
        "rows": [(plan, Preview.recorded(plan.sums)) for plan in rows],
        "nothing": _("No purge was previewed yet"),
        "about": _("Tick expired tasks and look at what a purge would take; it stands here until it is done."),
    }  # fmt: skip
    return list_of_purges(request, "retention_purges", context, following)


@require_safe
@may(RETAIN)
def page(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(PurgePlan, pk=pk)
    after = number(request, "after")
    rows = list(plan.tasks.filter(position__gt=after)[: PER_PAGE + 1])
    there = {
        task.public_id: task for task in Task.objects.filter(public_id__in=[row.public_id for row in rows])
    }
    context = {
        **_state(request, plan), **progress_of(plan),
        "lines": [(row, recorded(row), there.get(row.public_id)) for row in rows[:PER_PAGE]],
        "older_url": f"?after={rows[PER_PAGE - 1].position}" if len(rows) > PER_PAGE else "",
        "newer_url": "?" if after else "",
        "give_back": disk.how_to_give_back(),
    }  # fmt: skip
    return render(request, TEMPLATE, context)


@require_safe
@may(RETAIN)
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that moves; at the end the whole page is another one, its buttons and results too."""
    plan = get_object_or_404(PurgePlan, pk=pk)
    response = render(request, f"{TEMPLATE}#progress", progress_of(plan))
    if plan.finished_at:
        response["HX-Refresh"] = "true"
    return response


@require_safe
@may(RETAIN)
def sheet(request: HttpRequest, pk: int) -> HttpResponseBase:
    plan = get_object_or_404(PurgePlan, pk=pk)
    labels = [*(table.label for table in tables()), Task._meta.label_lower]
    columns = ("task", "goal", "finished_at", "spent_usd", "outcome", "told", *labels, "files", "bytes",
               "missing", "links", "effects")  # fmt: skip
    rows = export.sheet(columns, _cells(plan, labels))
    return download(request, rows, f"purge-{plan.pk}.csv", export.MEDIA_TYPE)


@require_POST
@may(RETAIN)
def make(request: HttpRequest) -> HttpResponse:
    """Of the chosen tasks, or of all that have expired, as many as one purge takes."""
    tasks = expiry.expired(timezone.now())
    if "all" not in request.POST:
        ticked = request.POST.getlist("task")[: plans.MOST]
        if not ticked:
            raise BadInput(_("No task is ticked. Tick those that the purge is to take."))
        tasks = tasks.filter(public_id__in=ticked)
    return redirect("taskboard:purge_plan", plans.make(person(request), tasks).pk)


@require_POST
@may(RETAIN)
def begin(request: HttpRequest, pk: int) -> HttpResponse:
    plan = consent.begin(_sealed(request, pk), person(request))
    if plan.state is State.ASKED:
        return _back(
            request, plan, _("Another administrator has to agree; it stands under Retention → Purges.")
        )
    return _back(request, plan, _("The purge has begun."))


@require_POST
@may(RETAIN)
def agree(request: HttpRequest, pk: int) -> HttpResponse:
    plan = consent.agree(_sealed(request, pk), person(request))
    return _back(request, plan, _("You agreed. The purge has begun."))


@require_POST
@may(RETAIN)
def refuse(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(PurgePlan, pk=pk)
    consent.refuse(plan, person(request), request.POST.get("reason", ""))
    return _back(request, plan, _("Refused. The tasks stay as they are."))


@require_POST
@may(RETAIN)
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    plan = get_object_or_404(PurgePlan, pk=pk)
    freed = consent.cancel(plan, person(request))
    told = ngettext(
        "Cancelled: %(number)d task stays. What was begun is purged to its end.",
        "Cancelled: %(number)d tasks stay. What was begun is purged to its end.",
        freed,
    )
    return _back(request, plan, told % {"number": freed})


@require_POST
@may(RETAIN)
def carry_on(request: HttpRequest) -> HttpResponse:
    hints.soon("taskboard.purge", queue="steps")
    return done(request, _("The workers were told to go on."), reverse("taskboard:retention_purges"))


def page_of_plans(request: HttpRequest) -> tuple[list[PurgePlan], int | None]:
    """The newest purges, or those before a certain one."""
    found = PurgePlan.objects.all()
    if before := number(request, "before"):
        found = found.filter(pk__lt=before)
    rows = list(found[: PER_PAGE + 1])
    return rows[:PER_PAGE], rows[PER_PAGE - 1].pk if len(rows) > PER_PAGE else None


def progress_of(plan: PurgePlan) -> dict[str, Any]:
    """How far it has come, in tasks and in rows; the same for everybody."""
    came_to = plan.tasks.order_by()
    counts = {one.value: came_to.filter(outcome=one).count() for one in PurgePlanTask.Outcome}
    rows = plan.records.order_by().aggregate(sum=Sum("removed"))["sum"] or 0
    total = Preview.recorded(plan.sums).total
    return {
        "plan": plan, "counts": {"done": counts["purged"], "skipped": counts["kept"], "pending": counts["planned"]},
        "removed": rows, "total": total, "percent": min(99, 100 * rows // total) if total else 0,
        "purged": counts["purged"], "stayed": counts["kept"],
    }  # fmt: skip


def _state(request: HttpRequest, plan: PurgePlan) -> dict[str, Any]:
    """What this person may do with it, and what it would take."""
    user, state = person(request), plan.state
    own = plan.by_id == user.pk or plan.by_name == user.get_username()
    return {
        "state": state.value, "state_word": state.label, "sums": Preview.recorded(plan.sums), "own": own,
        "may_begin": state is State.SHOWN and plan.size, "may_agree": state is State.ASKED and not own,
        "may_refuse": state is State.ASKED, "may_cancel": state is State.RUNNING,
        "second_person": consent.needs_second_person(),
    }  # fmt: skip


def _sealed(request: HttpRequest, pk: int) -> PurgePlan:
    """The plan that the person saw, by its digest."""
    plan = get_object_or_404(PurgePlan, pk=pk)
    if request.POST.get("sha256", "") != plan.digest:
        raise WrongState(_("This is not the preview that you saw. Load the page again."))
    return plan


def _back(request: HttpRequest, plan: PurgePlan, message: str) -> HttpResponse:
    return done(request, message, reverse("taskboard:purge_plan", args=[plan.pk]))


def _cells(plan: PurgePlan, labels: list[str]) -> Iterator[tuple[Any, ...]]:
    for row in plan.tasks.iterator(chunk_size=200):
        seen = recorded(row)
        yield (
            row.public_id, row.goal, row.finished_at, to_usd(row.spent_micro), row.outcome, row.told,
            *(seen.rows.get(label, 0) for label in labels),
            seen.files, seen.bytes, seen.missing, seen.links, seen.effects,
        )  # fmt: skip
