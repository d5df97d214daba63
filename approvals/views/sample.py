"""Sample, then batch: what it would do, the drawn questions, and the approval of the rest under bounds."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from approvals import sampling
from approvals.models import Approval, BulkDecision, BulkDecisionRow
from approvals.rights import DECIDE
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput
from taskboard.guards import may, person
from taskboard.models import Task
from taskboard.views import funnel

R = BulkDecisionRow.Result
PAGE = "approvals/sample.html"


@require_safe
@may(DECIDE)
def offer(request: HttpRequest) -> HttpResponse:
    """Page: how a sample is drawn, before one is."""
    return render(request, "approvals/sample_offer.html", offered(request, request.GET))


@require_POST
@may(DECIDE)
def start(request: HttpRequest) -> HttpResponse:
    asked = offered(request, request.POST)
    draft = sampling.start(person(request), asked["task"], asked["step"])
    return redirect("approvals:bulk", draft.pk)


@require_POST
@may(DECIDE)
def begin(request: HttpRequest, pk: int) -> HttpResponse:
    said = request.POST
    try:
        sampling.begin(
            pk, person(request), said.dict(), despite="despite" in said, reason=said.get("reason", "")
        )
    except BadInput as error:
        draft = get_object_or_404(BulkDecision, pk=pk, by=person(request), sample=True)
        return page(request, draft, refused=error.told, typed=said.dict(), status=422)
    return redirect("approvals:bulk", pk)


def page(
    request: HttpRequest,
    draft: BulkDecision,
    refused: str = "",
    typed: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The drawn questions with their answers so far, and the bounds for the rest."""
    rows = draft.rows.select_related("approval__task")
    rest = list(Approval.objects.filter(pk__in=rows.filter(result=R.PENDING).values("approval")))
    bounds = [(bound, (typed or {}).get(bound.name, "")) for bound in sampling.bounds_for(rest)]
    first = rows.first()
    context = {
        "bulk": draft, "sampled": list(rows.filter(result=R.SAMPLED)), "state": sampling.answers(draft),
        "rest": len(rest), "left_out": rows.filter(result=R.EXCLUDED).count(), "bounds": bounds,
        "refused": refused, "typed": typed or {}, "task": first.approval.task if first else None,
    }  # fmt: skip
    return render(request, PAGE, context, status=status)


def offered(request: HttpRequest, said: Any) -> dict[str, Any]:
    user = person(request)
    task = get_object_or_404(Task.objects.visible_to(user), public_id=clean_text(said.get("task", "")))
    step = clean_text(said.get("step", ""))
    spec = funnel.spec_of(task)
    label = funnel.label(spec.steps.get(step) if spec else None, step)
    number = sampling.alike(user, task, step).count()
    return {"task": task, "step": step, "label": label, "number": number, "fewest": sampling.FEWEST}
