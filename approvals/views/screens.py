"""The pieces of the inbox and of the record, for whole pages, parts and answers alike."""

import logging
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from approvals import finding
from approvals.cards.card import Card, card, without_words
from approvals.inbox import PAGE, Inbox, refreshed
from approvals.models import Approval
from taskboard import numbers
from taskboard.errors import NotFound
from taskboard.guards import person
from taskboard.responses import region

INBOX = "approvals/inbox.html"
QUESTION = "approvals/_question.html"
RAW = "approvals/_raw.html"
log = logging.getLogger(__name__)


def shown(request: HttpRequest, pk: int) -> Card:
    """The card of a question, for this reader."""
    return card(find(person(request), pk), person(request), timezone.now())


def find(user: User, pk: int) -> Approval:
    found = (
        Approval.objects.visible_to(user).select_related("task", "step").prefetch_related("votes", "events")
    )
    if (approval := found.filter(pk=pk).first()) is None:
        raise NotFound(gettext("There is no such question, or it is gone."))
    return approval


def question(request: HttpRequest, found: Card | None) -> dict[str, Any]:
    """The card and its text as a template wants them; what cannot be drawn is shown as it is stored."""
    if found is None:
        return {"card": None}
    try:
        return {"card": found, "question_html": SafeString(_drawn(request, QUESTION, found))}
    except Exception:  # a question must never hide because its text cannot be drawn
        log.exception("Question %s cannot be drawn", found.approval.pk)
        raw = without_words(found)
        return {"card": raw, "question_html": SafeString(_drawn(request, RAW, raw))}


def _drawn(request: HttpRequest, template: str, found: Card) -> str:
    return render_to_string(template, {"card": found}, request)


def listed(request: HttpRequest) -> Inbox:
    """The list that the page holds, as it is now."""
    said = sent(request)
    known = [number(part) for part in said.get("known", "").split(",")[:PAGE] if number(part)]
    return refreshed(person(request), said, known, number(said.get("seen", "")), timezone.now())


def sent(request: HttpRequest) -> QueryDict:
    return request.POST if request.method == "POST" else request.GET


def address(inbox: Inbox, chosen: Approval | None) -> str:
    query = {"show": inbox.show, **inbox.wish.given, **({"question": str(chosen.pk)} if chosen else {})}
    return f"{reverse('approvals:inbox')}?{urlencode(query)}"


def rows(request: HttpRequest, inbox: Inbox) -> str:
    return render_to_string(f"{INBOX}#questions", {"inbox": inbox}, request)


def counts(request: HttpRequest, inbox: Inbox) -> str:
    """The numbers around the rows, as regions: they must never tell something else."""
    tabs = render_to_string(f"{INBOX}#tabs", {"inbox": inbox}, request)
    badge = render_to_string("_badge.html", request=request)
    return region("#inbox-tabs", tabs) + region("#approvals-badge", badge, "outerMorph")


def pane(request: HttpRequest, inbox: Inbox, chosen: Card | None) -> str:
    """A card among its neighbours. Its address on the page is its own: a late answer finds no other card."""
    return render_to_string(f"{INBOX}#question", beside(request, inbox, chosen), request)


def beside(request: HttpRequest, inbox: Inbox, chosen: Card | None) -> dict[str, Any]:
    pk = chosen.approval.pk if chosen else 0
    around = {"above": inbox.beside(pk, -1), "below": inbox.beside(pk, 1)}
    return {
        "inbox": inbox,
        **question(request, chosen),
        **around,
        "address": address(inbox, chosen.approval if chosen else None),
    }


def whole(request: HttpRequest, inbox: Inbox, chosen: int, answered: int) -> dict[str, Any]:
    """The inbox page: the list, its filters, the chosen card or the first open one, and the one answered before."""
    first = inbox.after(None) or (inbox.rows[0] if inbox.answered and inbox.rows else None)
    wanted = chosen or (first.pk if first else 0)
    choices = finding.choices(person(request), answered=inbox.answered)
    beside_it = beside(request, inbox, shown(request, wanted) if wanted else None)
    return {**beside_it, "chosen": bool(chosen), "choices": choices, "last": _last(request, answered)}


def _last(request: HttpRequest, pk: int) -> Card | None:
    """What was answered before this page, for its way back."""
    try:
        return shown(request, pk) if pk else None
    except NotFound:
        return None


def number(text: str) -> int:
    """A row number from an address; 0 for anything else."""
    return numbers.whole(text) or 0
