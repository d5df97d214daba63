"""Steering on the task page: what everybody sees of it, the forms of those who may, and their verbs."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from taskboard import instruction_queue
from taskboard.errors import BadInput, UnfitItems
from taskboard.guards import may, person
from taskboard.models import Instruction, Risk, Task
from taskboard.numbers import whole
from taskboard.outcomes import NewItem
from taskboard.responses import done, region
from taskboard.rights import OPERATE
from taskboard.steering import instructions, risks, sheet, stop
from taskboard.steering.items import add_items
from taskboard.views import funnel
from taskboard.views.attention import back_to_attention
from taskboard.views.pages import visible_task

TEMPLATE = "taskboard/_steering.html"
TAKEN_SHOWN = 5
CLOSED_SHOWN = 5
MOST_RISKS = 50


def context(task: Task) -> dict[str, Any]:
    """What is queued, what was heeded lately, what is open: the same for everybody."""
    taken = Instruction.objects.filter(task=task).exclude(taken_up_at=None).order_by("-taken_up_at", "-pk")
    closed = Risk.objects.filter(task=task).exclude(closed_at=None).order_by("-closed_at")
    labels = funnel.labels(task)
    return {
        "queued": list(instruction_queue.queued(task)),
        "heeding": instruction_queue.heeding(task.workflow),
        "taken": list(taken[:TAKEN_SHOWN]),
        "open_risks": list(risks.opened(task)[:MOST_RISKS]),
        "closed_risks": list(closed[:CLOSED_SHOWN]),
        "stop": task.stop_after,
        "stop_label": labels.get(str(task.stop_after.get("step", "")), ""),
        "step_labels": labels,
    }


def live_html(task: Task) -> dict[str, str]:
    """The live regions; the second one makes pages fetch their forms once the queue or the risks are others."""
    seen = {"task": task, **context(task)}
    which = "-".join(str(one.pk) for one in (*seen["queued"], *seen["open_risks"]))
    seen["which"] = f"{which}-{task.status}-{bool(task.stop_after)}"
    return {
        f"#steering-{name}": render_to_string(f"{TEMPLATE}#{name}", seen) for name in ("lists", "refresh")
    }


@require_GET
@may()
def forms(request: HttpRequest, public_id: str) -> HttpResponse:
    return HttpResponse(_forms_html(request, visible_task(request, public_id)))


@require_POST
@may(OPERATE)
def instruct(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    instructions.add(task, person(request), request.POST.get("text", ""))
    return _changed(request, task, _("Queued. The next step that starts reads it."))


@require_POST
@may(OPERATE)
def change_queue(request: HttpRequest, public_id: str) -> HttpResponse:
    """Up, down, or out."""
    task = visible_task(request, public_id)
    number, verb = _number(request, "instruction"), request.POST.get("verb", "")
    if verb == "delete":
        instructions.delete(task, person(request), number)
        return _changed(request, task, _("Taken back. No step reads it."), "innerMorph")
    order = list(instruction_queue.queued(task).values_list("pk", flat=True))
    place = order.index(number) + 1 if number in order else 1
    to = max(place - 1, 1) if verb == "up" else place + 1
    instructions.reorder(task, person(request), number, to)
    return _changed(request, task, _("The order is changed."), "innerMorph")


@require_POST
@may(OPERATE)
def stop_after(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    items = _number(request, "items") if request.POST.get("items", "").strip() else 0
    step = request.POST.get("step", "")
    if not step and not items and "clear" not in request.POST:
        raise BadInput(_("Choose a step, or say after how many items."))
    stop.stop_after(task, person(request), step=step, items=items)
    text = _("It goes on to its end.") if "clear" in request.POST else _("Noted. It pauses there.")
    return _changed(request, task, text)


@require_POST
@may(OPERATE)
def add_to_items(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    lines = request.POST.get("items", "").splitlines()
    new = [NewItem(line.strip()) for line in lines if line.strip()]
    file = request.FILES.get("sheet")
    rows = sheet.rows(file.read(sheet.MOST_BYTES + 1)) if file else []
    try:
        added = add_items(task, [*new, *(row.item for row in rows)], person(request))
    except UnfitItems as unfit:
        raise sheet.placed(unfit, rows) from unfit
    text = ngettext("%(number)d item was added.", "%(number)d items were added.", added.number)
    if added.known:
        again = ngettext(" %(known)d was there already.", " %(known)d were there already.", len(added.known))
        text += again % {"known": len(added.known)}
    return _changed(request, task, text % {"number": added.number})


@require_POST
@may(OPERATE)
def raise_risk(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    severity = request.POST.get("severity", Risk.Severity.MEDIUM)
    risks.raise_risk(task, person(request), request.POST.get("text", ""), severity)
    return _changed(request, task, _("Noted, for the next step and for everyone here."))


@require_POST
@may(OPERATE)
def close_risk(request: HttpRequest, public_id: str) -> HttpResponse:
    task = visible_task(request, public_id)
    risk = risks.find(task, _number(request, "risk"))
    risks.close(risk, person(request), request.POST.get("reason", ""))
    if request.POST.get("back") == "attention":
        return back_to_attention(request, _("Closed. The reason is kept."))
    return _changed(request, task, _("Closed. The reason is kept."))


def _number(request: HttpRequest, name: str) -> int:
    if (number := whole(request.POST.get(name, "").strip())) is None:
        raise BadInput(_("Choose one of the list, or give a whole number."))
    return number


def _forms_html(request: HttpRequest, task: Task) -> str:
    return render_to_string(f"{TEMPLATE}#forms", {"task": task, **context(task)}, request)


def _changed(request: HttpRequest, task: Task, message: str, swap: str = "innerHTML") -> HttpResponse:
    """The lists, and the forms: as new, or (morphed) still open where the next move will be made."""
    fresh = Task.objects.get(pk=task.pk)
    regions = [region(target, html) for target, html in live_html(fresh).items()]
    forms_html = region("#steering-forms", _forms_html(request, fresh), swap)
    return done(request, message, f"{fresh.get_absolute_url()}#steering", forms_html, *regions)
