"""The pages of approvals: the inbox, the permanent record, and the one action."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from approvals import decisions
from approvals.cards import Card, card
from approvals.errors import ReasonMissing
from approvals.inbox import PAGE, Inbox, page, refreshed
from approvals.models import Approval, Outcome
from taskboard.errors import BadInput, NotAllowed, NotFound, TaskboardError
from taskboard.guards import may, person
from taskboard.responses import done, region

INBOX = "approvals/inbox.html"
RECORD = "approvals/approval.html"
CONFLICT = 409
SAID = {Outcome.APPROVE: _("Approved: %(action)s"), Outcome.REJECT: _("Rejected: %(action)s")}


@require_GET
@may("approvals.view_approval")
def inbox(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    shown = page(person(request), request.GET.get("show", ""), now)
    first = shown.after(None)
    chosen = _number(request.GET.get("question", ""))
    wanted = chosen or (first.pk if first else 0)
    found = _shown(request, wanted) if wanted else None
    return render(request, INBOX, {**_beside(shown, found), "chosen": bool(chosen)})


@require_GET
@may("approvals.view_approval")
def approval(request: HttpRequest, pk: int) -> HttpResponse:
    return render(request, RECORD, {"card": _shown(request, pk)})


@require_GET
@may("approvals.view_approval")
def questions(request: HttpRequest) -> HttpResponse:
    """Part: the list as it is now, and the count in the navigation."""
    shown = _refreshed(request)
    return HttpResponse(_rows(request, shown) + _counts(request, shown))


@require_GET
@may("approvals.view_approval")
def question(request: HttpRequest, pk: int) -> HttpResponse:
    """Part: one card."""
    return HttpResponse(_card(request, _refreshed(request), _shown(request, pk)))


@require_GET
@may("approvals.view_approval")
def record(request: HttpRequest, pk: int) -> HttpResponse:
    """Part: the record as it is now."""
    context = {"card": _shown(request, pk)}
    status = region("#record-status", render_to_string(f"{RECORD}#status", context, request))
    return HttpResponse(render_to_string(f"{RECORD}#record", context, request) + status)


@require_http_methods(["GET", "POST"])
@may("approvals.view_approval")
def decide(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The address of the form; opened by hand it leads to the question."""
    return _decided(request, pk) if request.method == "POST" else redirect("approvals:approval", pk)


@may("approvals.decide_approval")
def _decided(request: HttpRequest, pk: int) -> HttpResponse:
    said = request.POST
    outcome, reason, digest = (said.get(name, "") for name in ("outcome", "reason", "digest"))
    edited = {"limit_usd": said["limit_usd"]} if said.get("limit_usd") else None
    try:
        decided = decisions.decide(pk, person(request), outcome, reason, digest, edited)
    except TaskboardError as error:
        if request.htmx:  # type: ignore[attr-defined]
            raise  # said at the form
        return _refused(request, pk, error)
    message = SAID[Outcome(outcome)] % {"action": decided.action}
    return _next(request, pk, message) if "known" in said else _stay(request, decided, message)


def _next(request: HttpRequest, pk: int, message: str) -> HttpResponse:
    """The list with the answer in it, and the next open question; the address follows."""
    shown = _refreshed(request)
    following = shown.after(pk)
    address = _address(shown, following)
    if not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, message)
        return redirect(address)
    then = _shown(request, following.pk) if following else None
    response = done(
        request, message, address, region("#questions", _rows(request, shown)), _counts(request, shown),
        region("#question", _card(request, shown, then), "innerHTML"),
    )  # fmt: skip
    response["HX-Push-Url"] = address
    return response


def _stay(request: HttpRequest, decided: Approval, message: str) -> HttpResponse:
    messages.success(request, message)
    return redirect(decided)


def _refused(request: HttpRequest, pk: int, error: TaskboardError) -> HttpResponse:
    """The record with the sentence at the form, which keeps what was typed."""
    status, typed = _status_of(error), request.POST.get("reason", "")
    if status == CONFLICT:
        messages.error(request, error.message)
    no_reason = isinstance(error, ReasonMissing)
    context = {"card": _shown(request, pk), "refused": error.message, "typed": typed, "no_reason": no_reason}
    return render(request, RECORD, context, status=status)


def _status_of(error: TaskboardError) -> int:
    return 403 if isinstance(error, NotAllowed) else 422 if isinstance(error, BadInput) else CONFLICT


def _refreshed(request: HttpRequest) -> Inbox:
    """The list that the page holds, as it is now."""
    asked = request.POST if request.method == "POST" else request.GET
    known = [_number(part) for part in asked.get("known", "").split(",")[:PAGE] if _number(part)]
    show, seen = asked.get("show", ""), _number(asked.get("seen", ""))
    return refreshed(person(request), show, known, seen, timezone.now())


def _address(shown: Inbox, chosen: Approval | None) -> str:
    query = {"show": shown.show, **({"question": str(chosen.pk)} if chosen else {})}
    return f"{reverse('approvals:inbox')}?{urlencode(query)}"


def _rows(request: HttpRequest, shown: Inbox) -> str:
    return render_to_string(f"{INBOX}#questions", {"inbox": shown}, request)


def _counts(request: HttpRequest, shown: Inbox) -> str:
    """The numbers around the rows, as regions: they must never tell something else."""
    tabs = render_to_string(f"{INBOX}#tabs", {"inbox": shown}, request)
    badge = render_to_string("_badge.html", request=request)
    return region("#inbox-tabs", tabs) + region("#approvals-badge", badge, "outerMorph")


def _card(request: HttpRequest, shown: Inbox, chosen: Card | None) -> str:
    return render_to_string(f"{INBOX}#question", _beside(shown, chosen), request)


def _beside(shown: Inbox, chosen: Card | None) -> dict[str, object]:
    """A card among its neighbours."""
    pk = chosen.approval.pk if chosen else 0
    return {"inbox": shown, "card": chosen, "above": shown.beside(pk, -1), "below": shown.beside(pk, 1)}


def _shown(request: HttpRequest, pk: int) -> Card:
    return card(_find(person(request), pk), person(request), timezone.now())


def _find(user: User, pk: int) -> Approval:
    found = Approval.objects.visible_to(user).select_related("task", "step").prefetch_related("votes")
    if (approval := found.filter(pk=pk).first()) is None:
        raise NotFound(gettext("There is no such question, or it is gone."))
    return approval


def _number(text: str) -> int:
    """A row number from an address; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0
