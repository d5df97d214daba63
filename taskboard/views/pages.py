"""Downloads, and what the pages about tasks share."""

import json
from collections.abc import Iterator

from django.core.files.storage import storages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from taskboard import document, journal, numbers
from taskboard.errors import NotFound
from taskboard.guards import for_scripts, may, person
from taskboard.models import Artifact, Item, Task
from taskboard.responses import download, stored_file
from taskboard.retention import purged


@require_GET
@for_scripts
@may()
def journal_file(request: HttpRequest, public_id: str) -> HttpResponseBase:
    found = visible_task(request, public_id)
    return download(request, _lines(found), f"{public_id}.journal.jsonl", "application/x-ndjson")


@require_GET
@for_scripts
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
    """Raises Gone where it was purged, and Http404 for any other that is not there or not for this person."""
    try:
        return get_object_or_404(Task.objects.visible_to(person(request)), public_id=public_id)
    except Http404:
        if gone := purged.told(person(request), public_id):
            raise gone from None
        raise


def item_of(task: Task, key: str) -> Item:
    found = get_object_or_404(Item, task=task, key=key)
    found.task = task
    return found


def number(request: HttpRequest, name: str) -> int:
    """A whole number of the query; 0 for anything else."""
    return numbers.whole(request.GET.get(name, "")) or 0


def _lines(task: Task) -> Iterator[str]:
    for row in journal.stream(task):
        yield json.dumps(journal.as_json(row), ensure_ascii=False) + "\n"
