"""One answer to many questions: the choice, its confirmation, its progress with a result for each."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe
from django_stubs_ext import StrOrPromise

from approvals import bulk, finding, inbox
from approvals.models import Approval, ApprovalQuerySet, BulkDecision, BulkDecisionRow, Outcome
from approvals.rights import DECIDE, SEE
from approvals.views import sample
from taskboard.errors import BadInput, NotFound
from taskboard.guards import may, person
from taskboard.numbers import whole
from taskboard.responses import done, region
from taskboard.views.pages import number

R = BulkDecisionRow.Result
SAMPLE, PER_PAGE = 5, 100
DOES: Mapping[str, StrOrPromise] = {
    Outcome.APPROVE: gettext_lazy(
        "Each of them is approved exactly as it stands now. One that changes before its turn is left alone."
    ),
    Outcome.REJECT: gettext_lazy(
        "Each of them is rejected, with your reason. Nothing of them is carried out."
    ),
    Outcome.CHANGES: gettext_lazy(
        "Each of them is proposed anew by its step, which reads your text. Then you are asked again."
    ),
}
"""What follows for each of the questions."""
PAGE = "approvals/bulk.html"


@require_POST
@may(DECIDE)
def choose(request: HttpRequest) -> HttpResponse:
    """Ticked rows, or with `all` what the list and its filters say."""
    draft = bulk.choose(person(request), request.POST.get("outcome", ""), _chosen(request))
    return redirect("approvals:bulk", draft.pk)


@require_safe
@may(SEE)
def page(request: HttpRequest, pk: int) -> HttpResponse:
    found = find(request, pk)
    if found.sample and found.begun_at is None:
        return sample.page(request, found)
    return _page(request, found)


@require_safe
@may(SEE)
def progress(request: HttpRequest, pk: int) -> HttpResponse:
    """Part: how far it has come; the results too, once there are no more to come."""
    found = find(request, pk)
    pieces: list[str] = [render_to_string(f"{PAGE}#progress", parts(found), request)]
    if found.finished_at:
        rows = render_to_string(f"{PAGE}#results", results(request, found), request)
        pieces += [region("#results", rows), region("#bulk-actions", "")]
    return HttpResponse("".join(pieces))


@require_POST
@may(DECIDE)
def begin(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        bulk.begin(pk, person(request), request.POST.get("reason", ""))
    except BadInput as error:
        return _page(request, find(request, pk), refused=error.told, status=422)
    return redirect("approvals:bulk", pk)


@require_POST
@may(DECIDE)
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    bulk.cancel(find(request, pk), person(request))
    return done(
        request, _("Cancelled. What was answered stays answered."), reverse("approvals:bulk", args=[pk])
    )


def parts(found: BulkDecision) -> dict[str, Any]:
    """Numbers of its rows, and how far it has come."""
    counted = dict(found.rows.order_by().values_list("result").annotate(n=Count("id")))
    left = 0 if found.finished_at else max(found.total - found.done - found.refused, 0)
    return {
        "bulk": found,
        "label": Outcome(found.outcome).label,
        "counted": counted,
        "ready": counted.get(R.PENDING, 0),
        "counts": {"done": found.done, "failed": found.refused, "pending": left},
        "percent": 100 * (found.done + found.refused) // found.total if found.total else 100,
    }


def _page(request: HttpRequest, found: BulkDecision, refused: str = "", status: int = 200) -> HttpResponse:
    context = {**parts(found), "refused": refused}
    if found.begun_at is None:
        context |= _plan(found)
        return render(request, "approvals/bulk_plan.html", context, status=status)
    if refused:
        messages.error(request, refused)
    return render(request, PAGE, {**context, **results(request, found)}, status=status)


def _plan(found: BulkDecision) -> dict[str, Any]:
    """A few that will be answered, and those left out, by reason."""
    rows = found.rows.select_related("approval__task")
    left_out = found.rows.filter(result=R.EXCLUDED).order_by().values("told").annotate(n=Count("id"))
    reasons = [
        (one["told"], one["n"], list(rows.filter(result=R.EXCLUDED, told=one["told"])[:3]))
        for one in left_out.order_by("-n", "told")[:20]
    ]
    return {
        "sample": list(rows.filter(result=R.PENDING)[:SAMPLE]),
        "reasons": reasons,
        "needs_reason": found.outcome in bulk.NEEDS_REASON,
        "does": DOES[found.outcome],
    }


def results(request: HttpRequest, found: BulkDecision) -> dict[str, Any]:
    """Rows in their order; `only` narrows to one result."""
    only = request.GET.get("only", "")
    only = only if only in R.values else ""
    rows = found.rows.filter(position__gt=number(request, "after")).select_related("approval__task")
    shown = list((rows.filter(result=only) if only else rows)[: PER_PAGE + 1])
    after = shown[PER_PAGE - 1].position if len(shown) > PER_PAGE else None
    return {"rows": shown[:PER_PAGE], "only": only, "after": after}


def find(request: HttpRequest, pk: int) -> BulkDecision:
    """Everybody may see what was done; a choice that is not confirmed is its maker's own."""
    found = BulkDecision.objects.filter(pk=pk).first()
    if found is None or (found.begun_at is None and found.by_id != person(request).pk):
        raise NotFound(_("There is no such choice of questions, or it is gone."))
    return found


def _chosen(request: HttpRequest) -> ApprovalQuerySet:
    said, user, now = request.POST, person(request), timezone.now()
    if "all" in said:
        show = inbox.chosen(user, said.get("show", ""))
        wish = finding.wished(said, answered=False)
        return finding.narrowed(inbox.questions(user, show, now), wish, now)
    listed = [*said.getlist("question"), *said.get("questions", "").split(",")]
    pks = {pk for pk in map(whole, listed) if pk}
    found = Approval.objects.visible_to(user).filter(pk__in=sorted(pks)[: bulk.MOST])
    return found.order_by("expires_at", "pk")
