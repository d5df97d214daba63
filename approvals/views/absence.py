"""Out of office: who answers in whose place, entered and ended by people themselves."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from approvals import delegation
from approvals.models import Absence
from approvals.rights import ABSENCES, DECIDE, SEE
from approvals.views.absence_form import AbsenceForm
from taskboard.errors import BadInput
from taskboard.forms import add_fault
from taskboard.guards import may, person

PAGE = "approvals/absence.html"
MOST_PAST = 20


@require_safe
@may(SEE)
def page(request: HttpRequest) -> HttpResponse:
    return _page(request, AbsenceForm(person(request)))


@require_POST
@may(SEE)
def go_away(request: HttpRequest) -> HttpResponse:
    form = AbsenceForm(person(request), request.POST)
    if not form.is_valid():
        return _page(request, form, 422)
    said, by = form.cleaned_data, person(request)
    try:
        delegation.go_away(said.get("person") or by, said["substitute"], said["until"], said["since"], by=by)
    except BadInput as fault:
        add_fault(form, fault)
        return _page(request, form, 422)
    messages.success(request, _("Saved: %(who)s answers meanwhile.") % {"who": said["substitute"]})
    return redirect("approvals:absence")


@require_POST
@may(SEE)
def end(request: HttpRequest, pk: int) -> HttpResponse:
    delegation.end(pk, by=person(request))
    messages.success(request, _("It is over: nobody answers in this place any more."))
    return redirect("approvals:absence")


def _page(request: HttpRequest, form: AbsenceForm, status: int = 200) -> HttpResponse:
    """What is ahead, what was, and for whom the reader answers now."""
    user, now = person(request), timezone.now()
    past = Absence.objects.filter(user=user, until__lte=now).select_related("substitute")
    context = {
        "form": form,
        "ahead": delegation.entries(user, now),
        "past": past[:MOST_PAST],
        "stands_for": Absence.objects.current(now).filter(substitute=user).select_related("user"),
        "decides": user.has_perm(DECIDE) or user.has_perm(ABSENCES),
        "zone": timezone.get_current_timezone_name(),
        "now": now,
    }
    return render(request, PAGE, context, status=status)
