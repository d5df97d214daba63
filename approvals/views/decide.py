"""What a person may do with a question from its page: each a POST, each one verb."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from approvals import decisions, oversight, proof
from approvals.cards import fields
from approvals.cards.replaced import replacement
from approvals.errors import ReasonMissing, Unconfirmed
from approvals.models import Approval, ApprovalStatus, Outcome
from approvals.rights import DECIDE, SEE
from approvals.rules import Proof
from approvals.views import screens
from taskboard import sentences
from taskboard.errors import BadInput, NotAllowed, TaskboardError, WrongState
from taskboard.guards import may, person
from taskboard.responses import done, region

RECORD = "approvals/approval.html"
CONFLICT = 409
SAID = {
    Outcome.APPROVE: gettext_lazy("Approved: %(action)s"),
    Outcome.REJECT: gettext_lazy("Rejected: %(action)s"),
    Outcome.CHANGES: gettext_lazy("Changes asked for: %(action)s"),
}


@require_http_methods(["GET", "POST"])
@may(SEE)
def decide(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The address of the form; opened by hand it leads to the question."""
    return _decided(request, pk) if request.method == "POST" else redirect("approvals:approval", pk)


@may(DECIDE)
def _decided(request: HttpRequest, pk: int) -> HttpResponse:
    try:
        decided = _answer(request, pk, request.POST)
    except WrongState as error:
        return _too_late(request, pk, error)
    except TaskboardError as error:
        plain = _plain(error)
        if request.htmx:  # type: ignore[attr-defined]
            raise plain from None  # said at the form
        return _refused(request, pk, plain)
    return _next(request, decided) if "known" in request.POST else _stay(request, decided)


def _answer(request: HttpRequest, pk: int, said: QueryDict) -> Approval:
    outcome, reason, digest = (said.get(name, "") for name in ("outcome", "reason", "digest"))
    edited = _yes(request, pk, said) if outcome == Outcome.APPROVE else None
    undo = settings.APPROVALS_UNDO_SECONDS
    proofs = _proofs(request, pk, said)
    decided = decisions.decide(
        pk, person(request), outcome, reason, digest, edited, proofs=proofs, undo_seconds=undo
    )
    oversight.note(decided, person(request), said.get("shown", ""))
    return decided


def _proofs(request: HttpRequest, pk: int, said: QueryDict) -> set[Proof]:
    """What the form shows of how the answer came about."""
    read = proof.holds(said.get("read", ""), pk, person(request), said.get("digest", ""))
    shown = {Proof.READ: read, Proof.CONFIRMED: bool(said.get("confirmed"))}
    return {one for one, given in shown.items() if given}


def _yes(request: HttpRequest, pk: int, said: QueryDict) -> dict[str, Any] | None:
    """What was edited. A yes to what cannot be drawn is refused unless it was confirmed."""
    asked = screens.shown(request, pk)
    broken = screens.question(request, asked)["card"].broken
    if broken and not said.get("confirmed") and not asked.refusal:
        raise Unconfirmed(
            _("This question cannot be shown as it should: tick that you have read it as stored.")
        )
    return fields.typed(asked.approval, said)


def _said(request: HttpRequest, decided: Approval) -> str:
    """What was done; a yes that is not the last one needed says so."""
    if decided.status == ApprovalStatus.OPEN:
        return _("Your answer counts; others have to answer too: %(action)s") % {
            "action": sentences.read(decided.action)
        }
    return str(SAID[Outcome(request.POST["outcome"])]) % {"action": sentences.read(decided.action)}


def _next(request: HttpRequest, decided: Approval) -> HttpResponse:
    """The list with the answer in it; the next open question comes where this one is still shown."""
    inbox, pk, message = screens.listed(request), decided.pk, _said(request, decided)
    following = inbox.after(pk)
    address = screens.address(inbox, following)
    if not request.htmx:  # type: ignore[attr-defined]
        messages.success(request, message)
        return redirect(f"{address}&answered={pk}" if decided.hand_over_at else address)
    then = screens.shown(request, following.pk) if following else None
    regions = [
        region("#questions", screens.rows(request, inbox)), screens.counts(request, inbox),
        region(f"#card-{pk}", screens.pane(request, inbox, then), "outerHTML"),
    ]  # fmt: skip
    if decided.hand_over_at is None:
        return done(request, message, address, *regions)
    seconds = settings.APPROVALS_UNDO_SECONDS
    told = {"message": message, "approval": decided, "inbox": inbox, "seconds": seconds}
    undo = render_to_string("approvals/_undo.html", told, request)
    return HttpResponse("".join([*regions, region("#toasts", undo, "beforeend")]))


def _stay(request: HttpRequest, decided: Approval) -> HttpResponse:
    messages.success(request, _said(request, decided))
    return redirect(decided)


def _too_late(request: HttpRequest, pk: int, error: WrongState) -> HttpResponse:
    """Who was first, or what is asked now and how it differs. The form keeps what was typed."""
    if not request.htmx:  # type: ignore[attr-defined]
        return _refused(request, pk, error)
    asked = screens.find(person(request), pk)
    context = {"message": error.message, "approval": asked, "replacement": replacement(asked)}
    answer = render(request, "approvals/_too_late.html", context, status=CONFLICT)
    answer["HX-Retarget"], answer["HX-Reswap"] = "#toasts", "beforeend"
    return answer


def _refused(request: HttpRequest, pk: int, error: TaskboardError) -> HttpResponse:
    """The record with the sentence at the form, which keeps what was typed."""
    status, said = _status_of(error), request.POST
    if status == CONFLICT:
        messages.error(request, error.message)
    told: dict[str, Any] = {
        "refused": error.message, "typed": said.get("reason", ""), "no_reason": isinstance(error, ReasonMissing),
    }  # fmt: skip
    drawn = screens.question(request, screens.shown(request, pk))
    return render(request, RECORD, {**drawn, **told}, status=status)


def _plain(error: TaskboardError) -> TaskboardError:
    """Without the name of the field: people see its label."""
    if not isinstance(error, BadInput) or not error.path:
        return error
    return type(error)(error.message.removeprefix(f"{error.path}: "))


def _status_of(error: TaskboardError) -> int:
    return 403 if isinstance(error, NotAllowed) else 422 if isinstance(error, BadInput) else CONFLICT
