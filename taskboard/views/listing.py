"""The list of tasks: newest first, paged by key; rows change in place and new ones are announced."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.template.loader import render_to_string
from django.urls import reverse

from taskboard.models import Task
from taskboard.views import funnel, wording

PER_PAGE = 50


def page(user: AbstractBaseUser | AnonymousUser, before: int) -> dict[str, Any]:
    """The rows older than `before` (0: the newest), and how to go on from there."""
    found = Task.objects.visible_to(user).order_by("-pk")
    rows = list((found.filter(pk__lt=before) if before else found)[: PER_PAGE + 1])
    tasks, more = rows[:PER_PAGE], len(rows) > PER_PAGE
    for task in tasks:
        _dress(task)
    return {
        "tasks": tasks,
        "older_url": f"?before={tasks[-1].pk}" if more else "",
        "newer_url": reverse("taskboard:tasks") if before else "",
        "stream_url": f"{reverse('taskboard:stream')}?{_watched(tasks, before)}",
    }


def _watched(tasks: list[Task], before: int) -> str:
    """What the page's stream follows: its own rows, and on the first page whether there are newer ones."""
    query = {"rows": ",".join(str(task.pk) for task in tasks)}
    if not before:
        query["new"] = str(tasks[0].pk if tasks else 0)
    return urlencode(query, safe=",")


def _dress(task: Task) -> None:
    """What a row shows beyond the task's own fields."""
    task.why = wording.why(task)  # type: ignore[attr-defined]
    task.shown_counts = funnel.shown(task, task.item_counts)  # type: ignore[attr-defined]


def row_html(task: Task) -> str:
    _dress(task)
    return render_to_string("taskboard/_task.html", {"task": task})


def announcement(after: int) -> str:
    number = Task.objects.filter(pk__gt=after).count()
    return render_to_string("taskboard/_announcement.html", {"number": number})
