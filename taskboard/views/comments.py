"""Comments on a task and on its items: the list that everybody sees, and the form below it."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from taskboard import comments
from taskboard.errors import BadInput
from taskboard.guards import may, person
from taskboard.models import Comment, Item, Task
from taskboard.numbers import whole
from taskboard.responses import done, region
from taskboard.views.pages import item_of, visible_task

NEWEST = 30


def of_task(task: Task) -> dict[str, Any]:
    """The part of the task page: what was said on the task and on its items."""
    newest = list(comments.of_task(task)[: NEWEST + 1])
    return {"comments": newest[:NEWEST], "more_comments": len(newest) > NEWEST}


def live_html(task: Task) -> dict[str, str]:
    """The list as the stream sends it."""
    context = {"task": task, **of_task(task)}
    return {"#comments": render_to_string("taskboard/_comments.html#list", context)}


def mine(user: User, task: Task, item: Item | None = None) -> dict[str, Any]:
    """The person's own ones that can be taken back: the form offers them, so it is outside the live part."""
    own = comments.of_item(item) if item else comments.of_task(task).filter(item=None)
    return {"my_comments": own.filter(author=user, withdrawn_at=None)[:NEWEST]}


@require_POST
@may()
def add(request: HttpRequest, public_id: str, key: str = "") -> HttpResponse:
    task = visible_task(request, public_id)
    item = item_of(task, key) if key else None
    comments.add(task, person(request), request.POST.get("text", ""), item)
    return _changed(request, task, item, _("Your comment is there for everyone who sees this task."))


@require_POST
@may()
def take_back(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    comment = comments.find(task, _number(request.POST.get("comment", "")))
    comments.withdraw(comment, person(request))
    return _changed(request, task, _item_of(comment, task), _("Taken back."))


def _number(text: str) -> int:
    if (number := whole(text)) is None:
        raise BadInput(_("Choose one of your comments."))
    return number


def _item_of(comment: Comment, task: Task) -> Item | None:
    return item_of(task, comment.item.key) if comment.item else None


def _changed(request: HttpRequest, task: Task, item: Item | None, message: str) -> HttpResponse:
    """The list, an empty field, and what can be taken back now."""
    seen = {"comments": comments.of_item(item)[:NEWEST]} if item else of_task(task)
    context = {"task": task, "item": item, **seen, **mine(person(request), task, item)}
    list_html = render_to_string("taskboard/_comments.html#list", context, request)
    field_html = render_to_string("taskboard/_comments.html#field", context, request)
    own_html = render_to_string("taskboard/_comments.html#own", context, request)
    back = reverse("taskboard:item", args=[task.public_id, item.key]) if item else task.get_absolute_url()
    regions = region("#comments", list_html), region("#comment-field", field_html, "innerHTML")
    return done(request, message, back, *regions, region("#my-comments", own_html, "innerHTML"))
