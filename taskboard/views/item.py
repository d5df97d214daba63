"""The page of one item."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from taskboard.guards import may, person
from taskboard.views import comments, item_parts
from taskboard.views.pages import item_of, visible_task


@require_GET
@may()
def page(request: HttpRequest, public_id: str, key: str) -> HttpResponse:
    task = visible_task(request, public_id)
    item = item_of(task, key)
    context = item_parts.all_of(task, item) | comments.mine(person(request), task, item)
    return render(request, "taskboard/item.html", context)
