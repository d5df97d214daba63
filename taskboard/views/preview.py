"""The page that shows a result, and the picture on it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from taskboard import preview
from taskboard.errors import NotFound
from taskboard.guards import may
from taskboard.models import Artifact, Task
from taskboard.views.artifact_links import show
from taskboard.views.pages import visible_task

MOST_VERSIONS = 20


@require_GET
@may()
def page(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    task = visible_task(request, public_id)
    artifact = stored(task, number)
    context = {
        "task": task,
        "artifact": artifact,
        "shown": show(task, artifact),
        "preview": preview.preview(artifact),
        "versions": versions(artifact),
    }
    return render(request, "taskboard/artifact.html", context)


@require_GET
@may()
def image(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Only what a browser draws and never runs; nosniff holds it to that."""
    found = preview.image(stored(visible_task(request, public_id), number))
    if found is None:
        raise NotFound(_("This is no picture that can be shown here; it can be downloaded."))
    content, media_type = found
    return HttpResponse(content, content_type=media_type, headers={"X-Content-Type-Options": "nosniff"})


def stored(task: Task, number: int) -> Artifact:
    return get_object_or_404(Artifact, task=task, pk=number, managed=True)


def versions(artifact: Artifact) -> list[Artifact]:
    """Results of the same name, the newest first."""
    same = Artifact.objects.filter(task=artifact.task_id, name=artifact.name, managed=True)
    return list(same.select_related("item").order_by("-version")[:MOST_VERSIONS])
