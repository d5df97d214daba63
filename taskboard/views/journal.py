"""The journal page: newest first, by kind or words, older rows on demand, a way to the first failure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from taskboard.cleaning import clean_text
from taskboard.guards import may
from taskboard.models import Checkpoint, Kind, Task
from taskboard.models.checkpoint import CheckpointQuerySet
from taskboard.responses import page_or_part, wants_part
from taskboard.views.entries import Entry, entries
from taskboard.views.pages import number, visible_task

PER_PAGE = 100
SEARCHED = 50_000
"""Rows that a search looks through at a time; the next ones are a click away."""
AROUND = 20
"""Rows that are shown above the first failure, so that one sees what came of it."""
WRONG = "faults"


@dataclass(frozen=True)
class Asked:
    """What the address asks for."""

    kind: str
    item: str
    words: str
    before: int

    @property
    def query(self) -> str:
        """The filter alone, as it stands in an address."""
        told = {"kind": self.kind, "item": self.item, "q": self.words}
        return urlencode({name: value for name, value in told.items() if value})

    @property
    def is_slow(self) -> bool:
        """Whether the database has to look at every row: then it is asked for some at a time."""
        return bool(self.words or (self.kind and self.kind != WRONG))


@dataclass(frozen=True)
class Day:
    """The rows of one day in the reader's zone; a day that the rows above began is not named again."""

    day: date
    named: bool
    entries: Sequence[Entry]


@require_GET
@may()
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    if "first" in request.GET:
        return _to_first_fault(task)
    asked = asked_of(request)
    context = {"task": task, "asked": asked, "kinds": Kind.choices, **_rows(task, asked, wants_part(request))}
    return page_or_part(request, "taskboard/journal.html", "rows", context)


def asked_of(request: HttpRequest) -> Asked:
    kind = request.GET.get("kind", "")
    words = clean_text(request.GET.get("q", ""), 200).strip()
    known = kind if kind in Kind or kind == WRONG else ""
    return Asked(known, clean_text(request.GET.get("item", ""), 200), words, number(request, "before"))


def read(task: Task, asked: Asked, most: int = PER_PAGE) -> tuple[list[Checkpoint], int, int]:
    """Rows of one page, the ordinal before which more may be found (0: nothing), and how far back was looked."""
    end = asked.before or task.last_ordinal + 1
    rows = _filtered(task, asked).filter(ordinal__lt=end)
    floor = max(end - SEARCHED, 1) if asked.is_slow else 1
    found = list(rows.filter(ordinal__gte=floor).order_by("-ordinal")[: most + 1])
    if len(found) > most:
        return found[:most], found[most - 1].ordinal, 0
    further = floor if floor > 1 else 0
    return found, further, further


def _rows(task: Task, asked: Asked, following: bool) -> dict[str, Any]:
    """One page of rows; `following` ones go on below rows that are on the screen already."""
    shown, more, looked_back_to = read(task, asked)
    above = Checkpoint.objects.filter(task=task, ordinal=asked.before).first() if following else None
    return {
        "days": _days(entries(task, shown), _day(above) if above else None),
        "older": more,
        "looked_back_to": looked_back_to,
        "first_fault": _first_fault(task),
    }


def _filtered(task: Task, asked: Asked) -> CheckpointQuerySet:
    rows = Checkpoint.objects.filter(task=task)
    if asked.kind:
        rows = rows.faults() if asked.kind == WRONG else rows.filter(kind=asked.kind)
    if asked.item:
        rows = rows.filter(item_key=asked.item)
    return _with_words(rows, asked.words) if asked.words else rows


def _with_words(rows: CheckpointQuerySet, words: str) -> CheckpointQuerySet:
    """SQLite keeps JSON as it was written, with everything but ASCII escaped."""
    escaped = json.dumps(words)[1:-1]
    fields = Q(item_key__icontains=words) | Q(step__icontains=words) | Q(actor__icontains=words)
    told = rows.annotate(told=Cast("data", TextField()))
    return told.filter(fields | Q(told__icontains=words) | Q(told__icontains=escaped))


def _days(shown: Sequence[Entry], above: date | None) -> list[Day]:
    grouped = groupby(shown, key=lambda entry: _day(entry.row))
    return [Day(day, day != above, list(group)) for day, group in grouped]


def _day(row: Checkpoint) -> date:
    return timezone.localtime(row.at).date()


def _first_fault(task: Task) -> int:
    rows = Checkpoint.objects.faults().filter(task=task).order_by("ordinal")
    return rows.values_list("ordinal", flat=True).first() or 0


def _to_first_fault(task: Task) -> HttpResponse:
    place = reverse("taskboard:journal", args=[task.public_id])
    if not (first := _first_fault(task)):
        return redirect(place)
    return redirect(f"{place}?before={first + AROUND}#row-{first}")


def news_html(task: Task, seen: int) -> str:
    """Says how many rows were written since a page was opened; the page itself does not jump."""
    newer = max(task.last_ordinal - seen, 0)
    return render_to_string("taskboard/_journal_news.html", {"task": task, "number": newer}).strip()
