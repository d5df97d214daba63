"""What happened, over all tasks: one feed by day."""

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from taskboard.guards import may, person
from taskboard.lists import feed
from taskboard.models import Checkpoint, Task
from taskboard.responses import page_or_part
from taskboard.views.entries import Entry, entries, one_per_resume
from taskboard.views.pages import number

Lines = list[tuple[Task, Entry]]


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    wish, before = feed.Wish.of(request.GET), number(request, "before")
    shown = feed.read(Task.objects.visible_to(person(request)), wish, before)
    context = {
        "wish": wish,
        "groups": [(name, label, name == wish.kind) for name, (label, _kinds) in feed.GROUPS.items()],
        "days": list(_days(one_per_resume(shown.rows))),
        "cut": shown.cut,
        "older_url": wish.query(before=shown.following) if shown.following else "",
        "newer_url": wish.query() if before else "",
    }
    return page_or_part(request, "taskboard/activity.html", "list", context)


def _days(rows: Iterable[Checkpoint]) -> Iterator[tuple[date, Lines]]:
    """By the days of the reader's zone."""
    for day, told in groupby(rows, key=lambda row: timezone.localdate(row.at)):
        yield day, [(row.task, entry) for row in told for entry in entries(row.task, [row])]
