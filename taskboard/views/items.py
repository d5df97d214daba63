"""The items table of a task: a window of rows, each with its steps as marks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from django.db.models import QuerySet
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from taskboard import looks, selection, sentences
from taskboard.errors import BadInput
from taskboard.lists import paging
from taskboard.lists.paging import Order
from taskboard.live import Rows
from taskboard.models import Item, ItemStatus, Step, Task
from taskboard.numbers import whole
from taskboard.selection import Selection
from taskboard.views.funnel import BEGUN, Mark, is_still, labels, marks, to_come

PER_PAGE = 100
MOST_COUNTED = 1000
"""At most this many matching items are counted for the page; beyond that it says "more than"."""
COLUMNS = ("item_id", "name", "revision", "status", "attempt", "summary", "error")
PLACE = "place"
ORDERS = {
    PLACE: Order(PLACE, "position", int),
    "key": Order("key", "key", str),
    "updated": Order("updated", "updated_at", datetime, down=True),
    "cost": Order("cost", "cost_micro", int, down=True),
}


@dataclass(frozen=True)
class View:
    """What an address says of the table: which items, in which order, from where on."""

    selected: Selection
    order: Order
    after: str = ""
    before: str = ""

    @property
    def is_plain(self) -> bool:
        """All items as they come: such a window may grow at its end without anything jumping."""
        return self.selected.is_empty and self.order == ORDERS[PLACE]

    @property
    def query(self) -> dict[str, str]:
        """Its address without the page."""
        sort = {} if self.order == ORDERS[PLACE] else {"sort": self.order.sign}
        return self.selected.conditions | sort

    @property
    def words(self) -> str:
        """All of it as the query of an address."""
        told = {**self.query, "after": self.after, "before": self.before}
        return _encoded({name: value for name, value in told.items() if value})


@dataclass(frozen=True)
class Row:
    """All that the table shows of an item, as plain values: equal rows are rendered once."""

    task: str
    pk: int
    key: str
    label: str
    status: str
    marks: tuple[Mark, ...]
    note: str
    cost_micro: int
    updated_at: datetime
    age: str

    @property
    def html(self) -> SafeString:
        return _html(self, get_language() or "")


@dataclass(frozen=True)
class Window:
    """Some rows of the table, and the addresses of those on either side."""

    rows: Sequence[Row]
    view: View
    previous: str = ""
    following: str = ""
    ended: bool = False
    fault: str = ""
    known: int | None = None
    """How many items there are in this view, where a counter knows it."""

    @property
    def previous_url(self) -> str:
        return self._url("before", self.previous)

    @property
    def following_url(self) -> str:
        return self._url("after", self.following)

    def _url(self, name: str, cursor: str) -> str:
        return f"?{_encoded({**self.view.query, name: cursor})}#items-title"


def view_of(query: Mapping[str, str]) -> View:
    """The view that an address names; what it does not understand counts as not given."""
    order = paging.order_of(ORDERS, query.get("sort", ""), PLACE)
    return View(selection.of_query(query), order, query.get("after", ""), query.get("before", ""))


def window(task: Task, view: View) -> Window:
    """Two queries, however many items there are. A filter that cannot be read is said, and filters nothing."""
    try:
        found, fault = view.selected.narrow(selection.items_of(task)), ""
    except BadInput as error:
        found, fault = replace(view.selected, cost="").narrow(selection.items_of(task)), error.message
    items, previous, following = _page(found, view)
    known = _known(task, view.selected, None if previous or following else len(items))
    return Window(_rows(task, items), view, previous, following, task.is_finished, fault, known)


def matching(task: Task, selected: Selection) -> int:
    """How many items match, counted up to a limit."""
    return selected.narrow(selection.items_of(task)).order_by()[: MOST_COUNTED + 1].count()


def rows_html(seen: Window) -> Rows:
    """Each row on its own, so that only those that changed are sent."""
    return Rows((f"item-{row.pk}", row.html) for row in seen.rows)


def pager_html(seen: Window) -> str:
    return render_to_string("taskboard/_items_pager.html", {"window": seen})


def watched(seen: Window) -> str:
    """What the page's stream follows of the table: a plain window, or exactly the rows that it shows."""
    ids = "" if seen.view.is_plain else ",".join(str(row.pk) for row in seen.rows) or "0"
    return _encoded({"ids": ids} if ids else {}, seen.view.words)


def live_html(task: Task, told: str) -> dict[str, str | Rows]:
    """The regions of the table. Rows on screen change in place; that others belong there now is only said."""
    query = QueryDict(told)
    view = view_of(query.dict())
    if "ids" not in query:
        seen = window(task, view)
        return {"#items": rows_html(seen), "#items-pager": pager_html(seen)}
    ids = [pk for pk in map(whole, query["ids"].split(",")) if pk]
    kept = Item.objects.filter(task=task).in_bulk(ids)
    rows = _rows(task, [kept[pk] for pk in ids if pk in kept])
    return {"#items": rows_html(Window(rows, view)), "#items-news": _news(task, view, ids)}


def _news(task: Task, view: View, ids: Sequence[int]) -> str:
    """Whether this view would show other rows by now; not asked where every row would have to be read for it."""
    if view.selected.text or view.selected.cost or view.selected.at == selection.TO_COME:
        return ""
    items, _previous, _following = _page(view.selected.narrow(selection.items_of(task)), view)
    changed = [item.pk for item in items] != [pk for pk in ids if pk]
    told = {"query": view.words, "version": task.version}  # another address, or a click would only scroll
    return render_to_string("taskboard/_items_news.html", told) if changed else ""


def _page(found: "QuerySet[Item]", view: View) -> tuple[list[Item], str, str]:
    """The items of the window, and the cursors before its first and behind its last one."""
    order, back = view.order, bool(view.before)
    page = paging.page(found, order.other_way if back else order, view.before or view.after, PER_PAGE)
    items = page.rows[::-1] if back else page.rows
    if not items:
        return [], "", ""
    earlier = page.following if back else view.after
    later = "more" if back else page.following
    return items, order.cursor(items[0]) if earlier else "", order.cursor(items[-1]) if later else ""


def _known(task: Task, selected: Selection, shown: int | None) -> int | None:
    if shown is not None:
        return shown
    if selected.is_empty:
        return task.total - sum(task.unlisted.values())
    only_status = selected == Selection(status=selected.status) and not task.unlisted
    return task.item_counts.get(selected.status, 0) if only_status else None


def _rows(task: Task, items: Sequence[Item]) -> list[Row]:
    steps: dict[int, list[Step]] = {item.pk: [] for item in items}
    for step in Step.objects.current().filter(item__in=steps).only(*COLUMNS).order_by("id"):
        steps[step.item_id].append(step)
    known = labels(task)
    return [_row(task, item, marks(to_come(task, known, steps[item.pk]), steps[item.pk])) for item in items]


def _row(task: Task, item: Item, found: Sequence[Mark]) -> Row:
    shown = tuple(Mark(mark.name, mark.label, mark.status, mark.attempt) for mark in found)
    label = item.label or item.key
    status = BEGUN if item.status == ItemStatus.RUNNING and is_still(task) else item.status
    age = looks.age(
        timezone.now() - item.updated_at
    )  # so that a row is rendered anew when it reads differently
    return Row(
        task.public_id, item.pk, item.key, label, status, shown, _note(found), item.cost_micro, item.updated_at, age
    )  # fmt: skip


def _note(found: Sequence[Mark]) -> str:
    """What is most worth knowing: the error of a step that is not done, else the last summary."""
    steps = [mark.step for mark in found if mark.step]
    errors = [step.error for step in steps if step.error and step.status != "done"]
    told = [step.summary for step in steps if step.summary]
    return sentences.read(next(iter(errors), "") or (told[-1] if told else ""))


def _encoded(told: Mapping[str, str], further: str = "") -> str:
    query = QueryDict(mutable=True)
    query.update(told)
    return "&".join(part for part in (query.urlencode(safe=",~"), further) if part)


@lru_cache(maxsize=5000)
def _html(row: Row, language: str) -> SafeString:
    return render_to_string("taskboard/_item.html", {"row": row})
