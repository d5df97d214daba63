"""Which runs touched this item? One search over the items of all tasks."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from taskboard.guards import may, person
from taskboard.lists import found
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
    shown = found.find(person(request), text, how, before)
    by_beginning = how == found.ANYWHERE or shown.how == found.OUTSIDE
    context = {
        "text": text,
        "found": shown,
        "most": found.MOST,
        "newest": found.NEWEST,
        "anywhere_url": query_of(q=text, how=found.ANYWHERE) if shown.how == found.BEGINNING else "",
        "beginning_url": query_of(q=text, how=found.BEGINNING) if by_beginning else "",
        "older_url": query_of(q=text, how=shown.how, before=shown.following) if shown.following else "",
        "newer_url": query_of(q=text, how=shown.how) if before else "",
    }
    return page_or_part(request, "taskboard/find_item.html", "list", context)
