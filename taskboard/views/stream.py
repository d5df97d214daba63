"""Who may listen to what: the beginning of a stream of server-sent events."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.views.decorators.http import require_GET

from taskboard.live import Channel
from taskboard.models import BulkJob, Item, Task
from taskboard.numbers import whole
from taskboard.rights import SEE
from taskboard.streams import Admitted, admit
from taskboard.views.pages import number
from taskboard.views.regions import look

MOST_ROWS = 200
LONGEST = 4000
"""Characters of what a page says of its list."""


@require_GET
def stream(request: HttpRequest) -> HttpResponse:
    if not request.user.has_perm(SEE):
        return HttpResponse(status=401)
    channels = _channels(request)
    if "once" in request.GET:
        return HttpResponse(_at_once(channels))
    return admit(request, Admitted(request.session.session_key or "", channels))


def _at_once(channels: list[Channel]) -> bytes:
    """All regions as they are now, for a page that cannot keep a stream."""
    seen = look(dict.fromkeys(channels))
    return b"".join(piece for one in seen.values() for piece in one.whole.values())


def _channels(request: HttpRequest) -> list[Channel]:
    audience = (translation.get_language() or "en", timezone.get_current_timezone_name())
    found = [Channel("badge", 0, request.user.pk or 0, *audience)]
    found.append(Channel("stuck", 0, 0, *audience))
    if "attention" in request.GET:
        found.append(Channel("attention", 0, 0, *audience, request.GET["attention"][:LONGEST]))
    visible = Task.objects.visible_to(request.user)
    if task := visible.filter(pk=number(request, "task")).only("pk").first():
        found.append(Channel("task", task.pk, 0, *audience))
        found.append(Channel("items", task.pk, 0, *audience, request.GET.get("items", "")[:LONGEST]))
    if item := Item.objects.filter(pk=number(request, "item"), task__in=visible).first():
        found.append(Channel("item", item.task_id, item.pk, *audience))
    if task := visible.filter(pk=number(request, "journal")).only("pk").first():
        found.append(Channel("journal", task.pk, number(request, "from"), *audience))
    if job := BulkJob.objects.filter(pk=number(request, "bulk"), task__in=visible).first():
        found.append(Channel("bulk", job.task_id, job.pk, *audience))
    rows = map(whole, request.GET.get("rows", "").split(",")[:MOST_ROWS])
    shown = visible.filter(pk__in=filter(None, rows)).values_list("pk", flat=True)
    found += [Channel("row", pk, 0, *audience) for pk in shown]
    if "list" in request.GET:
        found.append(Channel("list", 0, 0, *audience, request.GET["list"][:LONGEST]))
    return found
