"""The pages and parts of approvals: the inbox and the permanent record."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_GET

from approvals import archived
from approvals.inbox import page
from approvals.rights import SEE
from approvals.views import screens
from taskboard.errors import NotFound
from taskboard.guards import may, person
from taskboard.responses import region

RECORD = "approvals/approval.html"


@require_GET
@may(SEE)
def inbox(request: HttpRequest) -> HttpResponse:
    shown = page(person(request), request.GET, timezone.now())
    chosen, answered = (screens.number(request.GET.get(name, "")) for name in ("question", "answered"))
    return _or_read_back(
        chosen, lambda: render(request, screens.INBOX, screens.whole(request, shown, chosen, answered))
    )


@require_GET
@may(SEE)
def approval(request: HttpRequest, pk: int) -> HttpResponse:
    return _or_read_back(
        pk, lambda: render(request, RECORD, screens.question(request, screens.shown(request, pk)))
    )


@require_GET
@may(SEE)
def questions(request: HttpRequest) -> HttpResponse:
    """Part: the list as it is now, and the counts around it."""
    shown = screens.listed(request)
    return HttpResponse(screens.rows(request, shown) + screens.counts(request, shown))


@require_GET
@may(SEE)
def question(request: HttpRequest, pk: int) -> HttpResponse:
    """Part: one card."""
    return HttpResponse(screens.pane(request, screens.listed(request), screens.shown(request, pk)))


@require_GET
@may(SEE)
def record(request: HttpRequest, pk: int) -> HttpResponse:
    """Part: the record as it is now; for who is about to answer, only whether that is still possible."""
    context = screens.question(request, screens.shown(request, pk))
    status = region("#record-status", render_to_string(f"{RECORD}#status", context, request))
    if "answering" in request.GET:
        return HttpResponse(
            status + region("#record-news", render_to_string(f"{RECORD}#news", context, request))
        )
    return HttpResponse(render_to_string(f"{RECORD}#record", context, request) + status)


def _or_read_back(pk: int, draw: Callable[[], HttpResponse]) -> HttpResponse:
    """The page; where its question was purged and read back since, the way to where that stands now."""
    try:
        return draw()
    except NotFound:
        if (now := archived.had(pk)) is None:
            raise
        return redirect(now)
