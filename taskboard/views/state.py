"""The state page: a task's document to be read, its parts to be opened, and where to get it whole."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from taskboard import document
from taskboard.document.writing import Elements, Members
from taskboard.guards import may
from taskboard.models import Task
from taskboard.snapshot import snapshot
from taskboard.views.pages import visible_task

MOST = 50
"""Entries of one part that are shown; the download has all."""
LONGEST = 60_000


@dataclass(frozen=True)
class Part:
    """A member of the document that holds something, as text. `further`: it has more entries than were counted;
    `more`: not all of it is shown."""

    name: str
    text: str
    number: int
    further: bool
    more: bool


@require_GET
@may()
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    with snapshot():
        facts, parts = _split(Task.objects.select_related("continues").get(pk=task.pk))
    return render(request, "taskboard/state.html", {"task": task, "facts": facts, "parts": parts})


def _split(task: Task) -> tuple[list[tuple[str, Any]], list[Part]]:
    """Plain values, and the members that have an inside; in the order of the document."""
    facts: list[tuple[str, Any]] = []
    parts: list[Part] = []
    for name, value in document.members(task):
        if isinstance(value, (Members, Elements, dict, list)):
            parts.append(_part(name, value))
        else:
            facts.append((name, value))
    return facts, parts


def _part(name: str, value: Any) -> Part:
    found = list(islice(_entries(value), MOST + 1))
    shown = found[:MOST]
    as_object = isinstance(value, (Members, dict))
    text = json.dumps(dict(shown) if as_object else shown, ensure_ascii=False, indent=2)
    further = len(found) > MOST
    more = further or len(text) > LONGEST
    return Part(name, text[:LONGEST] + ("\n…" if more else ""), len(shown), further, more)


def _entries(value: Any) -> Iterator[Any]:
    """What is inside, one by one: of a task with many items only the first are read."""
    if isinstance(value, Members):
        return iter(value.pairs)
    if isinstance(value, Elements):
        return iter(value.values)
    return iter(value.items() if isinstance(value, dict) else value)
