"""The brief of a task: as it reads now, what changed since the last one, and a line to add."""

from difflib import unified_diff

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from taskboard.forms import LineForm, checked
from taskboard.guards import for_scripts, may, person
from taskboard.models import Task
from taskboard.responses import done, region
from taskboard.resume import brief
from taskboard.rights import OPERATE
from taskboard.steering.brief_line import add_line
from taskboard.views.pages import visible_task


@require_GET
@may()
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    return render(request, "taskboard/brief.html", context(visible_task(request, public_id)))


@require_GET
@for_scripts
@may()
def file(request: HttpRequest, public_id: str) -> HttpResponse:
    text = brief.write(visible_task(request, public_id))
    headers = {"Content-Disposition": f'attachment; filename="{public_id}.brief.md"'}
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=headers)


@require_POST
@may(OPERATE)
def add(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    add_line(task, person(request), checked(LineForm(request.POST))["text"])
    text = render_to_string("taskboard/brief.html#text", context(Task.objects.get(pk=task.pk)))
    field = render_to_string("taskboard/brief.html#line")
    regions = region("#text", text), region("#line-field", field, "innerHTML")
    back = reverse("taskboard:brief", args=[public_id])
    return done(request, _("Added. The next step after a resume reads it."), back, *regions)


def context(task: Task) -> dict[str, object]:
    now = brief.write(task)
    last = brief.last_other(task, now) or brief.last_kept(task)
    diff = list(unified_diff(last.text.splitlines(), now.splitlines(), lineterm="")) if last else []
    return {"task": task, "text": now, "bytes": len(now.encode()), "last": last, "diff": diff}
