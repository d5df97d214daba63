"""The verbs of the desk: what became of a step whose outcome is unknown."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from taskboard import desk
from taskboard.forms import SettleForm, checked
from taskboard.guards import may, person
from taskboard.models import Item
from taskboard.rights import OPERATE
from taskboard.views.actions import current, item_changed
from taskboard.views.attention import back_to_attention
from taskboard.views.pages import item_of, visible_task


@require_POST
@may(OPERATE)
def happened(request: HttpRequest, public_id: str, key: str, step: str) -> HttpResponse:
    task = visible_task(request, public_id)
    item, told = item_of(task, key), _told(request)
    outputs = {name: request.POST.get(f"output-{name}", "") for name in desk.asked(task.workflow, step)}
    desk.happened(current(item, step), person(request), told["external_id"], told["reason"], outputs)
    return _settled(request, item, _("Noted: it happened. The item goes on."))


@require_POST
@may(OPERATE)
def did_not_happen(request: HttpRequest, public_id: str, key: str, step: str) -> HttpResponse:
    item, told = item_of(visible_task(request, public_id), key), _told(request)
    desk.did_not_happen(current(item, step), person(request), told["key"], told["reason"])
    return _settled(request, item, _("Noted: it did not happen. It runs again, under the same key."))


@require_POST
@may(OPERATE)
def give_up(request: HttpRequest, public_id: str, key: str, step: str) -> HttpResponse:
    item, told = item_of(visible_task(request, public_id), key), _told(request)
    desk.give_up(current(item, step), person(request), told["reason"])
    return _settled(request, item, _("Given up. The reason is in the journal."))


def _told(request: HttpRequest) -> dict[str, str]:
    return checked(SettleForm(request.POST))


def _settled(request: HttpRequest, item: Item, message: str) -> HttpResponse:
    """Back to the page with the button: the list of what needs a person, or the item."""
    if request.POST.get("back") != "attention":
        return item_changed(request, item, message)
    return back_to_attention(request, message)
