"""The page of the stand-by: what would begin and what would be sent, and the button that ends it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from taskboard import lifting, standby
from taskboard.errors import BadInput
from taskboard.guards import may, person
from taskboard.models import Installation
from taskboard.models.task import LookFirst
from taskboard.rights import RETAIN

HOME = "taskboard:standby"


@require_safe
@may(RETAIN)
def page(request: HttpRequest) -> HttpResponse:
    row = standby.state()
    context: dict[str, Any] = {"row": row, "waiting": lifting.waiting(timezone.now())}
    context |= {"choices": LookFirst.choices, "asked": row is not None and row.why == Installation.Why.ASKED}
    return render(request, "taskboard/standby.html", context)


@require_POST
@may(RETAIN)
def lift(request: HttpRequest) -> HttpResponse:
    unsure = request.POST.get("unsure", LookFirst.ASK)
    if unsure not in LookFirst.values:
        raise BadInput(_("Choose what is to be done with writes that cannot be looked up."), "unsure")
    lifting.lift(person(request), drop=request.POST.get("drop") == "1", unsure=LookFirst(unsure))
    messages.success(request, _("The stand-by is over: work goes on."))
    return redirect(HOME)


@require_POST
@may(RETAIN)
def begin(request: HttpRequest) -> HttpResponse:
    standby.begin(person(request), request.POST.get("reason", ""))
    messages.success(request, _("This installation stands by: nothing is begun, and nothing is sent."))
    return redirect(HOME)
