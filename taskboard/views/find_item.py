"""Which runs touched this item? One search over the items of all tasks."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from taskboard.guards import may, person
from taskboard.lists import find_item
from taskboard.lists.paging import query_of
from taskboard.responses import page_or_part
from taskboard.views.pages import number


@require_GET
@may()
def page(request: HttpRequest) -> HttpResponse:
    text, how, before = (
        request.GET.get("q", "").strip(),
        request.GET.get("how", ""),
        number(request, "before"),
    )
    shown = find_item.find(person(request), text, how, before)
    by_beginning = how == find_item.ANYWHERE or shown.how == find_item.OUTSIDE
    context = {
        "text": text,
        "found": shown,
        "most": find_item.MOST,
        "newest": find_item.NEWEST,
        "anywhere_url": query_of(q=text, how=find_item.ANYWHERE) if shown.how == find_item.BEGINNING else "",
        "beginning_url": query_of(q=text, how=find_item.BEGINNING) if by_beginning else "",
        "older_url": query_of(q=text, how=shown.how, before=shown.following) if shown.following else "",
        "newer_url": query_of(q=text, how=shown.how) if before else "",
    }
    return page_or_part(request, "taskboard/find_item.html", "list", context)
