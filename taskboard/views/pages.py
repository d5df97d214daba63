"""Whole pages: the list of tasks, a task, an item, a journal, and the downloads."""

import json
from collections.abc import Iterator

from django.core.files.storage import storages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from taskboard import document, journal
from taskboard.errors import NotFound
from taskboard.guards import may, person
from taskboard.models import Artifact, Checkpoint, Item, Task
from taskboard.responses import download, page_or_part, stored_file
from taskboard.views import item_parts, items, listing, parts
from taskboard.views.entries import entries

ROWS_OF_A_JOURNAL = 100


@require_GET
@may()
def tasks(request: HttpRequest) -> HttpResponse:
    context = listing.page(person(request), number(request, "before"))
    return page_or_part(request, "taskboard/tasks.html", "list", context)


@require_GET
@may()
def task(request: HttpRequest, public_id: str) -> HttpResponse:
    found = visible_task(request, public_id)
    window = items.window(found, after=number(request, "after"))
    context = parts.all_of(found) | parts.actions_of(found) | {"window": window}
    return page_or_part(request, "taskboard/task.html", "items_table", context)


@require_GET
@may()
def item(request: HttpRequest, public_id: str, key: str) -> HttpResponse:
    found = visible_task(request, public_id)
    return render(request, "taskboard/item.html", item_parts.all_of(found, item_of(found, key)))


@require_GET
@may()
def journal_page(request: HttpRequest, public_id: str) -> HttpResponse:
    found = visible_task(request, public_id)
    before = number(request, "before")
    rows = Checkpoint.objects.filter(task=found).order_by("-ordinal")
    shown = list((rows.filter(ordinal__lt=before) if before else rows)[:ROWS_OF_A_JOURNAL])
    more = bool(shown) and shown[-1].ordinal > 1
    context = {"task": found, "entries": entries(found, shown), "more": more, "before": before}
    return page_or_part(request, "taskboard/journal.html", "rows", context)


@require_GET
@may()
def journal_file(request: HttpRequest, public_id: str) -> HttpResponseBase:
    found = visible_task(request, public_id)
    return download(request, _lines(found), f"{public_id}.journal.jsonl", "application/x-ndjson")


@require_GET
@may()
def state_file(request: HttpRequest, public_id: str) -> HttpResponseBase:
    found = visible_task(request, public_id)
    return download(request, document.stream(found), f"{public_id}.json", "application/json")


@require_GET
@may()
def artifact(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    found = get_object_or_404(Artifact, task=visible_task(request, public_id), pk=number, managed=True)
    storage = storages["artifacts"]
    if not storage.exists(found.place):
        raise NotFound(_("The file of this artifact is no longer in the storage."))
    return stored_file(request, storage.open(found.place), found.name.rpartition("/")[2] or found.name)


def visible_task(request: HttpRequest, public_id: str) -> Task:
    return get_object_or_404(Task.objects.visible_to(person(request)), public_id=public_id)


def item_of(task: Task, key: str) -> Item:
    found = get_object_or_404(Item, task=task, key=key)
    found.task = task
    return found


def number(request: HttpRequest, name: str) -> int:
    """A whole number of the query; whatever is none counts as not given."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0


def _lines(task: Task) -> Iterator[str]:
    for row in journal.stream(task):
        yield json.dumps(journal.as_json(row), ensure_ascii=False) + "\n"
