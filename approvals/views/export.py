"""Decisions to take along: a page that asks for the period, and the two files."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from approvals import export
from approvals.rights import SEE
from taskboard.guards import for_scripts, may, person
from taskboard.lists.export import MEDIA_TYPE
from taskboard.responses import download

PERIOD = timedelta(days=30)


@require_safe
@may(SEE)
def period(request: HttpRequest) -> HttpResponse:
    """Page: which days."""
    today = timezone.localdate()
    context = {"since": today - PERIOD, "until": today, "zone": timezone.get_current_timezone_name()}
    return render(request, "approvals/export.html", context)


@require_safe
@for_scripts
@may(SEE)
def file(request: HttpRequest) -> HttpResponseBase:
    """The decisions of these days, as CSV or as JSON Lines."""
    since, until = export.day(request.GET.get("since", "")), export.day(request.GET.get("until", ""))
    found = export.answered(person(request), since, until)
    name = "-".join(["decisions", *(one.isoformat() for one in (since, until) if one)])
    if request.GET.get("as") == "jsonl":
        return download(request, export.as_json_lines(found), f"{name}.jsonl", "application/x-ndjson")
    return download(request, export.as_csv(found), f"{name}.csv", MEDIA_TYPE)
