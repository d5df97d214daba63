"""The Retention page: what has expired, what a purge would remove, holds, and the records of purges."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from taskboard import hints
from taskboard.errors import WrongState
from taskboard.guards import may, person
from taskboard.models import PurgeRecord, Task
from taskboard.responses import done, page_or_part, stored_file
from taskboard.retention import archive, expiry, hold, purge
from taskboard.retention.preview import Preview, preview

RETAIN = "taskboard.retain_task"
MOST = 100
"""Tasks that are shown, and purged, at a time."""
HOME = "taskboard:retention"


@require_safe
@may(RETAIN)
def index(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    expired, kept = expiry.expired(now), expiry.kept(now)
    context = {
        "expired": expired[:MOST],
        "expired_count": expired.count(),
        "kept": [(task, expiry.why_kept(task, now)) for task in kept[:MOST]],
        "kept_count": kept.count(),
        "coming": expiry.coming(now)[:MOST],
        "unfinished": PurgeRecord.objects.filter(completed=False),
        **_records(request),
        "most": MOST,
    }
    return page_or_part(request, "taskboard/retention.html", "lists", context)


@require_safe
@may(RETAIN)
def plan(request: HttpRequest) -> HttpResponse:
    """What a purge of the chosen tasks would remove and leave."""
    tasks = list(_chosen(request.GET.getlist("task")))
    if not tasks:
        return redirect(HOME)
    sums, lines = Preview(), []
    for task in tasks:
        lines.append((task, preview(task)))
        sums.add(lines[-1][1])
    return render(request, "taskboard/purge.html", {"lines": lines, "sums": sums})


@require_safe
@may(RETAIN)
def archive_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    record = get_object_or_404(PurgeRecord.objects.exclude(archive=""), pk=pk)
    return stored_file(request, archive.open_file(record), record.archive)


@require_POST
@may(RETAIN)
def purge_tasks(request: HttpRequest) -> HttpResponse:
    """Each purge begins with its record, so that a lost message or a dead worker cannot lose it."""
    begun, refused = 0, ""
    for task in _chosen(request.POST.getlist("task")):
        try:
            purge.begin(task.pk, person(request).username)
            begun += 1
        except WrongState as refusal:
            refused = refusal.message
    if not begun:
        raise WrongState(refused or _("None of these tasks can be purged (any more). Load the page again."))
    hints.soon("taskboard.purge", queue="short")
    told = ngettext("The purge of one task has begun.", "The purge of %(number)d tasks has begun.", begun)
    return done(request, f"{told % {'number': begun}} {refused}".strip(), HOME)


@require_POST
@may(RETAIN)
def carry_on(request: HttpRequest) -> HttpResponse:
    hints.soon("taskboard.purge", queue="short")
    return done(request, _("The workers were told to go on."), HOME)


@require_POST
@may(RETAIN)
def hold_task(request: HttpRequest, public_id: str) -> HttpResponse:
    task = _task(request, public_id)
    hold.hold(task.pk, person(request).username, request.POST.get("reason", ""))
    return done(request, _("Task %(id)s is on hold.") % {"id": public_id}, HOME)


@require_POST
@may(RETAIN)
def release_task(request: HttpRequest, public_id: str) -> HttpResponse:
    task = _task(request, public_id)
    hold.release(task.pk, person(request).username)
    return done(request, _("The hold of task %(id)s is lifted.") % {"id": public_id}, HOME)


def _task(request: HttpRequest, public_id: str) -> Task:
    return get_object_or_404(Task.objects.visible_to(person(request)), public_id=public_id)


def _chosen(public_ids: list[str]) -> QuerySet[Task]:
    return expiry.expired(timezone.now()).filter(public_id__in=public_ids[:MOST])


def _records(request: HttpRequest) -> dict[str, object]:
    """The newest records, or those before a certain one, each with the number of rows that went."""
    before = request.GET.get("before", "")
    records = PurgeRecord.objects.filter(completed=True)
    if before.isascii() and before.isdecimal() and len(before) < 19:
        records = records.filter(pk__lt=int(before))
    shown = list(records[: MOST + 1])
    lines = [(record, Preview.recorded(record.counts).total) for record in shown[:MOST]]
    return {"records": lines, "older": shown[MOST - 1].pk if len(shown) > MOST else None}
