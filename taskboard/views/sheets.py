"""Lists as CSV sheets, with the search or filter that the page has; made while they are sent."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from taskboard import selection
from taskboard.guards import for_scripts, may, person
from taskboard.lists import export
from taskboard.lists.tasks import Choice
from taskboard.models import Task
from taskboard.responses import download
from taskboard.views import items as table
from taskboard.views.pages import visible_task


@require_GET
@for_scripts
@may()
def tasks(request: HttpRequest) -> HttpResponseBase:
    choice = Choice.of(request.GET)
    rows = choice.rows(Task.objects.visible_to(person(request)))
    return download(request, export.tasks(rows, choice.order), "tasks.csv", export.MEDIA_TYPE)


@require_GET
@for_scripts
@may()
def items(request: HttpRequest, public_id: str) -> HttpResponseBase:
    task = visible_task(request, public_id)
    view = table.view_of(request.GET.dict())
    rows = view.selected.narrow(selection.items_of(task))
    return download(request, export.items(rows, view.order), f"{public_id}.items.csv", export.MEDIA_TYPE)
