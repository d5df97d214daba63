"""A run beside an earlier one: what is better, worse, new or gone, on a page and as a sheet."""

import csv
import io
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET
from django_stubs_ext import StrOrPromise

from taskboard import compare
from taskboard.cells import guarded
from taskboard.compare import Pair, Verdict
from taskboard.errors import BadInput
from taskboard.guards import for_scripts, may, person
from taskboard.models import Task
from taskboard.responses import download
from taskboard.views.pages import number, visible_task

PER_PAGE = 100
MOST_OTHERS = 5
WORDS: Mapping[Verdict, StrOrPromise] = {
    "worse": gettext_lazy("Worse"),
    "better": gettext_lazy("Better"),
    "new": gettext_lazy("New"),
    "gone": gettext_lazy("Gone"),
    "same": gettext_lazy("Unchanged"),
}


@require_GET
@may()
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    other = earlier(request, task)
    if other is None:
        seen = Task.objects.visible_to(person(request))
        others = compare.not_completed(task, seen, MOST_OTHERS)
        return render(request, "taskboard/compare.html", {"task": task, "others": others})
    return render(
        request, "taskboard/compare.html", {"task": task, "other": other, **compared(request, task, other)}
    )


@require_GET
@for_scripts
@may()
def sheet(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """All items of both runs; made while it is sent."""
    task = visible_task(request, public_id)
    other = earlier(request, task)
    if other is None:
        raise BadInput(_("There is no earlier completed run of the same source to compare with."))
    name = f"{task.public_id}-{other.public_id}.csv"
    return download(request, _lines(task, other), name, "text/csv; charset=utf-8")


def compared(request: HttpRequest, task: Task, other: Task) -> dict[str, Any]:
    counts, complete = compare.count(compare.pairs(task, other))
    counts["gone"] = compare.count_gone(task, other)
    verdict = _verdict(request, counts)
    found = compare.gone if verdict == "gone" else compare.pairs
    shown, following = compare.some(found(task, other, number(request, "after")), verdict, PER_PAGE)
    base = {"with": other.public_id} if "with" in request.GET else {}
    return {
        "tabs": [
            (kind, WORDS[kind], counts[kind], f"?{urlencode({**base, 'show': kind})}")
            for kind in compare.VERDICTS
        ],
        "verdict": verdict, "pairs": shown, "complete": complete, "most": compare.MOST_READ,
        "measured_as": compare.measured_as(task.workflow), "changed_secrets": compare.changed_secrets(task, other),
        "following": f"?{urlencode({**base, 'show': verdict, 'after': following})}" if following else "",
        "sheet_url": f"{reverse('taskboard:compare_csv', args=[task.public_id])}?{urlencode(base)}",
    }  # fmt: skip


def _verdict(request: HttpRequest, counts: Mapping[Verdict, int]) -> Verdict:
    """The one asked for; else the first that has something to tell."""
    asked = request.GET.get("show", "")
    if asked in compare.VERDICTS:
        return cast(Verdict, asked)
    return next((kind for kind in compare.VERDICTS if counts[kind]), "same")


def earlier(request: HttpRequest, task: Task) -> Task | None:
    """The run that is named, else the last one of the same source."""
    named = request.GET.get("with", "").strip()
    if not named:
        return compare.earlier(task)
    found = Task.objects.visible_to(person(request)).filter(public_id=named).first()
    if found is None:
        raise BadInput(
            _("There is no task %(id)s; write its id as it stands on its page.") % {"id": named[:40]}
        )
    return found


def _lines(task: Task, other: Task) -> Iterator[str]:
    head = ("key", "label", "verdict", "status", "status_before", "measure", "measure_before")
    yield _line(head)
    for pair in chain(compare.pairs(task, other), compare.gone(task, other)):
        yield _line(_cells(pair))


def _cells(pair: Pair) -> tuple[object, ...]:
    now, was = pair.now, pair.was
    return (
        guarded(pair.key), guarded(pair.label), pair.verdict, now.status if now else "", was.status if was else "",
        "" if now is None or now.measure is None else now.measure,
        "" if was is None or was.measure is None else was.measure,
    )  # fmt: skip


def _line(cells: tuple[object, ...]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()
