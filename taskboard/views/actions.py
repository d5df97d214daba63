"""The verbs: each asks one function of `steer`, then shows what changed."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from taskboard import summary
from taskboard.errors import BadInput
from taskboard.forms import BudgetForm, ReasonForm, checked
from taskboard.guards import may, person
from taskboard.models import Item, Step, Task
from taskboard.responses import done, region
from taskboard.rights import BUDGET, OPERATE
from taskboard.steering import steer
from taskboard.views import item_parts, parts
from taskboard.views.pages import item_of, visible_task


@require_POST
@may(OPERATE)
def pause(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    steer.pause(task, person(request))
    return _changed(request, task, _("Paused. What has begun is finished; nothing more is begun."))


@require_POST
@may(OPERATE)
def resume(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    steer.resume(task, person(request), accept_version="accept_version" in request.POST)
    if vain := summary.still_blocked(Task.objects.get(pk=task.pk)):
        return _changed(request, task, vain, level="warning")
    return _changed(request, task, _("Resumed."))


@require_POST
@may(OPERATE)
def cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    steer.cancel(task, person(request), _reason(request))
    return _changed(request, task, _("Cancelled. Open questions were withdrawn."))


@require_POST
@may(BUDGET)
def change_budget(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    told = checked(BudgetForm(request.POST))
    steer.change_budget(task, person(request), told["limit_usd"])
    return _changed(request, task, _("The budget was changed."), "budget")


@require_POST
@may(OPERATE)
def retry_step(request: HttpRequest, public_id: str, key: str, step: str) -> HttpResponse:
    item = item_of(visible_task(request, public_id), key)
    steer.retry_step(current(item, step), person(request))
    return item_changed(request, item, _("It is tried again as soon as a worker is free."))


@require_POST
@may(OPERATE)
def skip_step(request: HttpRequest, public_id: str, key: str, step: str) -> HttpResponse:
    item = item_of(visible_task(request, public_id), key)
    steer.skip_step(current(item, step), person(request), _reason(request))
    return item_changed(request, item, _("Skipped. The item goes on without this step."))


def _changed(
    request: HttpRequest, task: Task, message: str, *names: str, level: str = "success"
) -> HttpResponse:
    """The buttons and the state of the task, and the named parts."""
    fresh = Task.objects.get(pk=task.pk)
    regions = [region(f"#{name}", parts.html_of(fresh, name)) for name in ("state", *names)]
    buttons = region("#actions", parts.actions_html(request, fresh), "outerMorph")
    return done(request, message, fresh.get_absolute_url(), buttons, *regions, level=level)


def item_changed(request: HttpRequest, item: Item, message: str) -> HttpResponse:
    """The buttons, the steps and the journal of the item."""
    task = Task.objects.get(pk=item.task_id)
    fresh = item_of(task, item.key)
    regions = [region(target, html) for target, html in item_parts.all_html(task, fresh).items()]
    buttons = region("#actions", item_parts.actions_html(request, task, fresh), "outerMorph")
    back = reverse("taskboard:item", args=[task.public_id, item.key])
    return done(request, message, back, buttons, *regions)


def current(item: Item, name: str) -> Step:
    """The newest revision of a step of this item."""
    found = Step.objects.current().filter(item=item, name=name).order_by("-revision").first()
    if found is None:
        raise BadInput(_("This item has not reached that step."))
    return found


def _reason(request: HttpRequest) -> str:
    return str(checked(ReasonForm(request.POST))["reason"])
