"""The list of tasks, and the order of those that wait."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from taskboard.guards import may, person
from taskboard.lists import tasks as lists
from taskboard.lists.tasks import Choice
from taskboard.models import Task
from taskboard.models.task import TaskQuerySet
from taskboard.responses import done, page_or_part, region
from taskboard.rights import OPERATE
from taskboard.steering import queue
from taskboard.views import listing
from taskboard.views.pages import visible_task


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    context = listing.context(_visible(request), request.GET)
    status = 422 if context.get("fault") else 200
    return page_or_part(request, "taskboard/tasks.html", "list", context, status)


@require_POST
@may(OPERATE)
def move_up(request: HttpRequest, public_id: str) -> HttpResponse:
    queue.shift(visible_task(request, public_id), person(request), -1)
    return _reordered(request, _("Moved up."))


@require_POST
@may(OPERATE)
def move_down(request: HttpRequest, public_id: str) -> HttpResponse:
    queue.shift(visible_task(request, public_id), person(request), 1)
    return _reordered(request, _("Moved down."))


@require_POST
@may(OPERATE)
def take_out(request: HttpRequest, public_id: str) -> HttpResponse:
    queue.remove(visible_task(request, public_id), person(request))
    return _reordered(request, _("Taken out of the queue. Nothing of it had begun."))


def _visible(request: HttpRequest) -> TaskQuerySet:
    return Task.objects.visible_to(person(request))


def _reordered(request: HttpRequest, message: str) -> HttpResponse:
    """The list as the person has it before them."""
    shown = request.htmx.current_url or ""  # type: ignore[attr-defined]
    context = listing.context(_visible(request), QueryDict(urlsplit(shown).query))
    rows = region("#list", render_to_string("taskboard/tasks.html#list", context, request))
    return done(request, message, reverse("taskboard:tasks") + Choice(lists.QUEUE).query(), rows)
