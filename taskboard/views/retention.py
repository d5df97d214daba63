"""The Retention pages: what has expired, what is kept and why, what expires next, and the records of purges."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_stubs_ext import StrOrPromise

from taskboard.cleaning import clean_text
from taskboard.guards import may
from taskboard.lists import paging
from taskboard.lists.paging import Order
from taskboard.models import HoldRule, PurgePlan, PurgeRecord, Task
from taskboard.responses import page_or_part, stored_file
from taskboard.retention import archive, automatic, consent, disk, expiry, hold, plans, search_holds, size
from taskboard.retention.preview import Preview
from taskboard.retention.size import Size
from taskboard.rights import RETAIN
from taskboard.views.listing import Tab
from taskboard.views.pages import number

PER_PAGE = 50
LONGEST_ID = 32
BY_EXPIRY = Order("expires", "expires_at", datetime)
UNSHOWN = ("plan", "params", "brief", "brief_note")
TABS: Mapping[str, StrOrPromise] = {
    "retention": gettext_lazy("Expired"),
    "retention_kept": gettext_lazy("Kept"),
    "retention_coming": gettext_lazy("Next 30 days"),
    "retention_holds": gettext_lazy("Holds"),
    "retention_policies": gettext_lazy("Keeping times"),
    "retention_purges": gettext_lazy("Purges"),
    "retention_records": gettext_lazy("Records"),
}


@dataclass(frozen=True)
class Line:
    """A task of a list, about how large it is, and why it is kept."""

    task: Task
    size: Size
    why: str


@require_safe
@may(RETAIN)
def expired(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    return _list(request, "retention", expiry.expired(now), now)


@require_safe
@may(RETAIN)
def kept(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    return _list(request, "retention_kept", expiry.kept(now), now)


@require_safe
@may(RETAIN)
def coming(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    return _list(request, "retention_coming", expiry.coming(now), now)


@require_safe
@may(RETAIN)
def records(request: HttpRequest) -> HttpResponse:
    rows, following = page_of_records(request)
    context = {
        "heading": _("What stays of purged tasks"), "table": "taskboard/_purge_records.html",
        "rows": [(record, Preview.recorded(record.counts)) for record in rows],
        "nothing": _("Nothing has been purged yet"),
        "about": _("What was purged, when and by whom stays here, with its archive."),
        "finds": True, "task": asked_task(request), "whole": not asked_task(request),
    }  # fmt: skip
    return list_of_purges(request, "retention_records", context, following)


@require_safe
@may(RETAIN)
def archive_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    record = get_object_or_404(PurgeRecord.objects.exclude(archive=""), pk=pk)
    return stored_file(request, archive.open_file(record), record.archive)


def list_of_purges(
    request: HttpRequest, tab: str, told: Mapping[str, Any], following: int | None
) -> HttpResponse:
    """Previews and purges, or what stays of them: the newest, or those before a certain one."""
    context = {
        **shared(request, tab, timezone.now()), **told,
        "older_url": paging.query_of(task=told.get("task"), before=following) if following else "",
        "newer_url": paging.query_of(task=told.get("task")) if number(request, "before") else "",
    }  # fmt: skip
    return page_or_part(request, "taskboard/purge_list.html", "list", context)


def shared(request: HttpRequest, tab: str, now: datetime) -> dict[str, Any]:
    """What all these pages show: the lists with their numbers, what runs or waits for a second administrator."""
    return {
        "tabs": _tabs(tab, now),
        "running": PurgePlan.objects.filter(finished_at=None).exclude(begun_at=None),
        "asked": PurgePlan.objects.filter(begun_at=None, refused_at=None).exclude(asked_at=None),
    }


def page_of(tasks: "QuerySet[Task]", request: HttpRequest) -> paging.Page[Task]:
    return paging.page(tasks.defer(*UNSHOWN), BY_EXPIRY, request.GET.get("after", ""), PER_PAGE)


def page_of_records(request: HttpRequest) -> tuple[list[PurgeRecord], int | None]:
    """The newest records, or those before a certain one; or those of a task, which may have been read back."""
    found = PurgeRecord.objects.filter(completed=True)
    if task := asked_task(request):
        found = found.filter(public_id=task)
    if before := number(request, "before"):
        found = found.filter(pk__lt=before)
    rows = list(found[: PER_PAGE + 1])
    return rows[:PER_PAGE], rows[PER_PAGE - 1].pk if len(rows) > PER_PAGE else None


def asked_task(request: HttpRequest) -> str:
    return clean_text(request.GET.get("task", ""), LONGEST_ID).strip()


def lines(tasks: Iterable[Task], tab: str, now: datetime) -> list[Line]:
    tasks = list(tasks)
    why: Mapping[int, str] = {}
    if tab == "retention_kept":
        why = expiry.reasons(tasks, now)
    elif tab == "retention_coming":
        why = expiry.holds(tasks, now)
    sizes = size.about(tasks)
    return [Line(task, sizes[task.pk], why.get(task.pk, "")) for task in tasks]


def _list(request: HttpRequest, tab: str, tasks: "QuerySet[Task]", now: datetime) -> HttpResponse:
    shown = page_of(tasks, request)
    chosen, total = _chosen(request, tab), tasks.count() if tab == "retention" else 0
    context = {
        **shared(request, tab, now),
        "list": tab,
        "lines": lines(shown.rows, tab, now),
        "total": total, "most": min(total, plans.MOST), "all_chosen": chosen,
        "whole_choice": bool(chosen and (shown.following or request.GET.get("after"))),
        "older_url": paging.query_of(all=chosen, after=shown.following) if shown.following else "",
        "newer_url": paging.query_of(all=chosen) if request.GET.get("after") else "",
        "disk": disk.now(), "give_back": disk.how_to_give_back(), "next_run": automatic.next_run(now),
        "second_person": consent.needs_second_person(), "zone": settings.TASKBOARD_TIME_ZONE,
    }  # fmt: skip
    return page_or_part(request, "taskboard/retention.html", "lists", context)


def _chosen(request: HttpRequest, tab: str) -> str:
    """Nothing that goes is ticked before a person asks for it: of each task, or of all."""
    return "1" if tab == "retention" and request.GET.get("all") else ""


def _tabs(current: str, now: datetime) -> list[Tab]:
    counts = {
        "retention": expiry.expired(now).count(), "retention_kept": expiry.kept(now).count(),
        "retention_coming": expiry.coming(now).count(), "retention_holds": held_now(now),
    }  # fmt: skip
    return [
        Tab(str(label), reverse(f"taskboard:{name}"), counts.get(name), name == current)
        for name, label in TABS.items()
    ]


def held_now(now: datetime) -> int:
    """Holds that act: of single tasks, and by search."""
    active: QuerySet[HoldRule] = search_holds.active(now)
    return hold.held(now).count() + active.count()
