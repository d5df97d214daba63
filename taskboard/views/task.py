"""The page of one task."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from taskboard.guards import may, person
from taskboard.responses import page_or_part
from taskboard.retention import expiry
from taskboard.views import comments, item_filter, items, parts, steering
from taskboard.views.pages import visible_task


@require_GET
@may()
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    window = items.window(task, items.view_of(request.GET.dict()))
    table = {"window": window, "watched": items.watched(window), **item_filter.context(task, window)}
    told = steering.context(task) | comments.of_task(task) | comments.mine(person(request), task)
    context = parts.all_of(task) | parts.actions_of(task) | table | told
    context["held_why"] = expiry.why_held(task, timezone.now())
    return page_or_part(request, "taskboard/task.html", "items_table", context)
