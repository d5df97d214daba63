"""What a person may do with a question beside answering it: each a POST, and back to where they were."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from approvals import decisions, expiry, resumer, routing
from approvals.models import Approval
from approvals.rights import DECIDE, SEE
from approvals.views import screens
from taskboard.errors import BadInput
from taskboard.guards import may, person
from taskboard.responses import done, region


@require_POST
@may(DECIDE)
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """The way back to the question: the next key is meant for it."""
    decisions.take_back(pk, person(request))
    found = screens.shown(request, pk)
    message = _("Taken back, it is open again: %(action)s") % {"action": found.title}
    if not request.htmx or "known" not in request.POST:  # type: ignore[attr-defined]
        return _back(request, pk, message, "#question-title")
    inbox = screens.listed(request)
    card = region("#question", screens.pane(request, inbox, found), "innerHTML")
    rows = region("#questions", screens.rows(request, inbox))
    return done(request, message, "", rows, screens.counts(request, inbox), card)


@require_POST
@may(SEE)
def comment(request: HttpRequest, pk: int) -> HttpResponse:
    routing.comment(pk, person(request), request.POST.get("text", ""))
    return _back(request, pk, _("Your comment is stored."))


@require_POST
@may(SEE)
def pass_on(request: HttpRequest, pk: int) -> HttpResponse:
    kind, _colon, to = request.POST.get("to", "").partition(":")
    reason = request.POST.get("reason", "")
    if kind == "group":
        routing.pass_on_to_group(pk, person(request), to, reason)
    else:
        routing.pass_on_to_person(pk, person(request), _named(to), reason)
    if "known" not in request.POST:
        return _back(request, pk, _("Passed on."))
    messages.success(request, _("Passed on."))
    shown = screens.listed(request)
    following = shown.after(pk)
    return redirect(screens.address(shown, following if following and following.pk != pk else None))


@require_POST
@may(SEE)
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    decisions.withdraw_one(pk, person(request), request.POST.get("reason", ""))
    return _back(request, pk, _("The question is withdrawn."))


@require_POST
@may(SEE)
def kick(request: HttpRequest, pk: int) -> HttpResponse:
    resumer.kick(pk, person(request))
    return _back(request, pk, _("Handed over."))


@require_POST
@may(SEE)
def close(request: HttpRequest, pk: int) -> HttpResponse:
    expiry.close(pk, person(request))
    return _back(request, pk, _("It is closed; what follows is what its policy says."))


def _named(pk: str) -> User:
    found = User.objects.filter(pk=screens.number(pk), is_active=True).first()
    if found is None:
        raise BadInput(_("Choose to whom this goes."), "to")
    return found


def _back(request: HttpRequest, pk: int, message: str, place: str = "") -> HttpResponse:
    messages.success(request, message)
    if "known" not in request.POST:
        return redirect(reverse("approvals:approval", args=[pk]))
    return redirect(screens.address(screens.listed(request), Approval(pk=pk)) + place)
