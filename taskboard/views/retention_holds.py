"""Holds: of one task, and by a search that holds future tasks too."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from taskboard.cleaning import clean_text
from taskboard.errors import BadInput
from taskboard.forms import checked
from taskboard.guards import may, person
from taskboard.lists import words
from taskboard.models import HoldRule, Task
from taskboard.responses import done
from taskboard.retention import begun, days, expiry, hold, search_holds, size
from taskboard.rights import RETAIN
from taskboard.views.pages import number, visible_task
from taskboard.views.retention import PER_PAGE, UNSHOWN, shared

HOLDS = "taskboard:retention_holds"
EXAMPLES = 5


class HoldForm(forms.Form):
    """Why, and until when."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=1000)
    until = forms.DateField(
        label=gettext_lazy("Until the end of"),
        required=False,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        help_text=gettext_lazy("A day in your time zone. Empty: until somebody lifts it."),
        error_messages={"invalid": gettext_lazy("Give a day such as 2027-01-31.")},
    )


@require_safe
@may(RETAIN)
def page(request: HttpRequest) -> HttpResponse:
    """What is held now, and what was. With a search it says first what a hold would keep."""
    now, search = timezone.now(), clean_text(request.GET.get("q", ""), words.LONGEST).strip()
    held, more_held = page_of_held(request, now)
    over, more_over = page_of_rules(request, search_holds.over(now))
    context = {
        **shared(request, "retention_holds", now), **_looked_up(search), "search": search,
        "form": HoldForm(prefix="new"), "held": _with_time(held), "over": over,
        "rules": [(rule, Task.objects.filter(search_holds.meant(rule)).count()) for rule in search_holds.active(now)],
        "held_older": f"?below={more_held}" if more_held else "",
        "held_newer": "?" if number(request, "below") else "",
        "over_older": f"?before={more_over}#over" if more_over else "",
        "over_newer": "?#over" if number(request, "before") else "",
        "looks_back": bool(number(request, "before")),
    }  # fmt: skip
    return render(request, "taskboard/holds.html", context)


@require_POST
@may(RETAIN)
def add(request: HttpRequest) -> HttpResponse:
    reason, until = _told(HoldForm(request.POST, prefix="new"))
    search_holds.add(person(request), request.POST.get("q", ""), reason, until)
    return done(request, _("The hold acts from now on."), reverse(HOLDS))


@require_POST
@may(RETAIN)
def end(request: HttpRequest, pk: int) -> HttpResponse:
    search_holds.end(pk, person(request))
    return done(request, _("The hold is over. What only it kept may be purged."), reverse(HOLDS))


@require_safe
@may(RETAIN)
def keeping(request: HttpRequest, public_id: str) -> HttpResponse:
    """How long one task is kept, and by what."""
    task, now = visible_task(request, public_id), timezone.now()
    context = {
        "task": task, "form": _form_of(task), "since": hold.since([task]).get(task.public_id),
        "size": size.about([task])[task.pk], "why": expiry.why_kept(task, now),
        "rules": search_holds.keeping([task], now).get(task.pk, ()), "holds": hold.holds(task, now),
        "begun": begun.of(task),
    }  # fmt: skip
    return render(request, "taskboard/keeping.html", context)


@require_POST
@may(RETAIN)
def hold_task(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    reason, until = _told(HoldForm(request.POST))
    hold.hold(task.pk, person(request), reason, until)
    return done(request, _("Task %(id)s is on hold.") % {"id": public_id}, _keeping(task))


@require_POST
@may(RETAIN)
def release_task(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    hold.release(task.pk, person(request))
    back = reverse(HOLDS) if "listed" in request.POST else _keeping(task)
    return done(request, _("The hold of task %(id)s is lifted.") % {"id": public_id}, back)


def page_of_held(request: HttpRequest, now: datetime) -> tuple[list[Task], int | None]:
    """Tasks with a hold of their own: the newest, or those below a certain one."""
    found = hold.held(now).defer(*UNSHOWN)
    if below := number(request, "below"):
        found = found.filter(pk__lt=below)
    rows = list(found[: PER_PAGE + 1])
    return rows[:PER_PAGE], rows[PER_PAGE - 1].pk if len(rows) > PER_PAGE else None


def page_of_rules(request: HttpRequest, found: "QuerySet[HoldRule]") -> tuple[list[HoldRule], int | None]:
    """The newest of these holds by search, or those before a certain one."""
    if before := number(request, "before"):
        found = found.filter(pk__lt=before)
    rows = list(found[: PER_PAGE + 1])
    return rows[:PER_PAGE], rows[PER_PAGE - 1].pk if len(rows) > PER_PAGE else None


def _looked_up(search: str) -> dict[str, Any]:
    """How many tasks it means now, and some of them; or what is wrong with it."""
    if not search:
        return {}
    try:
        found = search_holds.found(search, Task.objects.all())
        return {"matches": found.count(), "examples": found.order_by("-pk")[:EXAMPLES]}
    except BadInput as error:
        return {"fault": error.told}


def _form_of(task: Task) -> HoldForm:
    """Who changes a hold begins with what it is."""
    until = task.hold_until and timezone.localtime(task.hold_until - timedelta(seconds=1)).date()
    return HoldForm(initial={"reason": task.hold_reason, "until": until} if task.on_hold else None)


def _with_time(tasks: list[Task]) -> list[tuple[Task, datetime | None]]:
    since = hold.since(tasks)
    return [(task, since.get(task.public_id)) for task in tasks]


def _told(form: HoldForm) -> tuple[str, datetime | None]:
    told = checked(form)
    return told["reason"], days.end_of(told["until"], timezone.now())


def _keeping(task: Task) -> str:
    return reverse("taskboard:keeping", args=[task.public_id])
