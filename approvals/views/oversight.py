"""The page that shows how decisions are made."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from approvals import oversight
from approvals.models import ApprovalStatus
from approvals.rights import OVERSEE
from approvals.views import plots
from taskboard.guards import may, person

PERIODS = (7, 30, 90)
USUAL = 30


@require_safe
@may(OVERSEE)
def page(request: HttpRequest) -> HttpResponse:
    days = period_of(request)
    found = oversight.report(person(request), days, timezone.now())
    labels = {status: str(ApprovalStatus(status).label) for status in plots.ORDER}
    context = {
        "report": found, "days": days, "periods": PERIODS, "legend": labels.items(),
        "by_day": plots.of_days(found.days, labels), "by_wait": plots.of_counts(found.waits),
    }  # fmt: skip
    return render(request, "approvals/oversight.html", context)


def period_of(request: HttpRequest) -> int:
    """How many days are asked for; the usual number where it is not one of the choices."""
    asked = request.GET.get("days", "")
    return next((number for number in PERIODS if str(number) == asked), USUAL)
