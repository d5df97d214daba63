"""The filter over the items table: its choices, what is set, and the links that sort."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django_stubs_ext import StrOrPromise

from taskboard import looks, selection
from taskboard.lists.paging import Order
from taskboard.models import BulkAction, ItemStatus, Task, TaskStatus
from taskboard.views import funnel
from taskboard.views.items import MOST_COUNTED, ORDERS, PLACE, View, Window, matching

ANCHOR = "#items-title"
Choices = Sequence[tuple[str, StrOrPromise]]


@dataclass(frozen=True)
class Set:
    """A condition that is set, in words, and the address without it."""

    words: str
    without: str


@dataclass(frozen=True)
class Column:
    """A heading that sorts: its address, and whether the table is in this order (`up` or `down`) now."""

    url: str
    sorted: str


def context(task: Task, seen: Window) -> dict[str, Any]:
    """What the form and the headings need; nothing of it is live."""
    view, steps, statuses, places = seen.view, _steps(task), _statuses(task), _places(task)
    found = _count(task, seen)
    return {
        "filter": view.selected,
        "filter_set": list(_set(view, statuses, dict(steps), dict(places))),
        "filter_found": found,
        "filter_most": MOST_COUNTED,
        "filter_more": found is not None and found > MOST_COUNTED and seen.known is None,
        "filter_query": urlencode(view.selected.conditions),
        "statuses": [(status, word) for status, word in statuses.items() if task.item_counts.get(status)],
        "steps": steps,
        "places": places,
        "sort": "" if view.order == ORDERS[PLACE] else view.order.sign,
        "columns": {name: _column(view, order) for name, order in ORDERS.items()},
    }


def _statuses(task: Task) -> dict[str, looks.Words]:
    """In the order of the bar, with the words of its legend."""
    words = {status: looks.word(status) for status in looks.FILLS if status in ItemStatus.values}
    return words | ({ItemStatus.RUNNING: looks.word(funnel.BEGUN)} if funnel.is_still(task) else {})


def _steps(task: Task) -> Choices:
    known = funnel.labels(task) or {name: funnel.label(None, name) for name in task.step_counts}
    return list(known.items())


def _places(task: Task) -> Choices:
    """Nothing of a cancelled task is to come."""
    ahead = () if task.status == TaskStatus.CANCELLED else (selection.TO_COME,)
    words = {"done": _("done"), selection.TO_COME: _("to come"), "blocked": _("needs a person")}
    return [(at, words.get(at, str(looks.word(at)).lower())) for at in (*selection.AT, *ahead)]


def _count(task: Task, seen: Window) -> int | None:
    """How many match; not counted where the filter could not be read."""
    if seen.fault or seen.view.selected.is_empty or seen.known is not None:
        return seen.known
    return matching(task, seen.view.selected)


def _set(
    view: View,
    statuses: Mapping[str, looks.Words],
    steps: Mapping[str, StrOrPromise],
    places: Mapping[str, StrOrPromise],
) -> Iterator[Set]:
    chosen = view.selected
    told = {
        "status": statuses.get(chosen.status, ""),
        "step": " ".join(
            map(str, filter(None, (steps.get(chosen.step, chosen.step), places.get(chosen.at))))
        ),
        "error": looks.cause(chosen.error),
        "text": f"“{chosen.text}”",
        "cost": _("cost %(cost)s") % {"cost": chosen.cost},
        "fits": _fits(chosen.fits),
    }
    for name, words in told.items():
        if getattr(chosen, name):
            yield Set(str(words), _address(view, chosen.without(name).conditions))


def _fits(fits: str) -> str:
    """Whether an action on many items is for them."""
    if not fits:
        return ""
    told = {"action": BulkAction(fits.removeprefix(selection.NOT)).label}
    passed_over = fits.startswith(selection.NOT)
    return (_("%(action)s: passed over") if passed_over else _("%(action)s: can be done")) % told


def _column(view: View, order: Order) -> Column:
    """A click sorts as the column usually is, a second one the other way round."""
    here = view.order.name == order.name
    following = view.order.other_way if here else order
    sign = {} if following == ORDERS[PLACE] else {"sort": following.sign}
    return Column(
        f"?{urlencode(view.selected.conditions | sign)}{ANCHOR}",
        ("down" if view.order.down else "up") if here else "",
    )


def _address(view: View, conditions: Mapping[str, str]) -> str:
    sort = {name: value for name, value in view.query.items() if name == "sort"}
    return f"?{urlencode({**conditions, **sort})}{ANCHOR}"
