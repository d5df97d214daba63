"""The list of tasks: rows change in place; which rows are shown changes only when asked, news are announced."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard.errors import BadInput
from taskboard.lists import tasks as lists
from taskboard.lists import words
from taskboard.lists.paging import Page, page
from taskboard.lists.tasks import Choice
from taskboard.models import Task
from taskboard.models.task import TaskQuerySet
from taskboard.views.task_rows import rows_of

PER_PAGE = 50
UNSHOWN = ("plan", "params", "brief", "brief_note")
"""Long columns that no row shows."""
TABS: Mapping[str, StrOrPromise] = {
    lists.ALL: gettext_lazy("All"),
    lists.RUNNING: gettext_lazy("Running"),
    lists.QUEUE: gettext_lazy("In the queue"),
    lists.WAITING: gettext_lazy("Waiting"),
    lists.ATTENTION: gettext_lazy("Needs attention"),
    lists.FINISHED: pgettext_lazy("tasks", "Finished"),
}
HINTS: Mapping[str, StrOrPromise] = {
    lists.ATTENTION: gettext_lazy("These tasks stand in another list as well."),
}
SORTS: Mapping[str, StrOrPromise] = {
    "-created": gettext_lazy("Newest first"),
    "created": gettext_lazy("Oldest first"),
    "-updated": gettext_lazy("Changed last"),
    "name": gettext_lazy("Name"),
    "-cost": gettext_lazy("Most spent"),
    "-progress": gettext_lazy("Most done"),
    "progress": gettext_lazy("Least done"),
    "queue": gettext_lazy("Order of the queue"),
}
EMPTY: Mapping[str, tuple[StrOrPromise, StrOrPromise]] = {
    lists.RUNNING: (
        gettext_lazy("Nothing runs"),
        gettext_lazy("Tasks are shown here while software works on them."),
    ),
    lists.QUEUE: (
        gettext_lazy("The queue is empty"),
        gettext_lazy("When more tasks are started than may run at once, they wait here for their turn."),
    ),
    lists.WAITING: (
        gettext_lazy("Nothing waits"),
        gettext_lazy("Tasks that need an answer, or that someone has paused, are shown here."),
    ),
    lists.ATTENTION: (
        gettext_lazy("Nothing needs you"),
        gettext_lazy("Tasks that cannot go on without a person are shown here."),
    ),
    lists.FINISHED: (
        gettext_lazy("Nothing is finished yet"),
        gettext_lazy("Completed, failed and cancelled tasks are shown here until they are purged."),
    ),
}


@dataclass(frozen=True)
class Tab:
    """A tab, its address, and how many tasks it holds of what is searched for (None: nobody knows)."""

    label: str
    url: str
    count: int | None
    current: bool
    hint: StrOrPromise = ""


@dataclass(frozen=True)
class Column:
    """A heading that sorts; `turns` is the arrow of the order at hand."""

    label: str
    url: str
    turns: str


def context(visible: TaskQuerySet, query: QueryDict) -> dict[str, Any]:
    """What the page shows; a search that cannot be understood is kept, and told in `fault`."""
    choice, cursor = Choice.of(query), query.get("after", "")
    try:
        shown, counts = rows(visible, choice, cursor), choice.counts(visible)
    except BadInput as error:
        return _frame(choice, "") | {"tabs": tabs(choice, None), "fault": error.message, "tasks": []}
    return _frame(choice, cursor) | {
        "tasks": rows_of(shown.rows),
        "tabs": tabs(choice, counts),
        "chips": [(word.typed, choice.query(q=words.without(choice.words, word))) for word in choice.words],
        "older_url": choice.query(after=shown.following) if shown.following else "",
        "newer_url": choice.query() if cursor else "",
        "stream_url": _stream(choice, shown.rows, cursor),
    }


def rows(visible: TaskQuerySet, choice: Choice, cursor: str) -> Page[Task]:
    return page(choice.rows(visible).defer(*UNSHOWN), choice.order, cursor, PER_PAGE)


def tabs(choice: Choice, counts: Mapping[str, int] | None) -> list[Tab]:
    return [
        Tab(
            str(label),
            _tab_url(choice, name),
            counts[name] if counts is not None else None,
            name == choice.tab,
            HINTS.get(name, ""),
        )
        for name, label in TABS.items()
    ]


def news_html(watched: str) -> dict[str, str]:
    """The tabs with their counts, and how many tasks belong to the list that the reader does not see yet;
    `watched` is the list's own part of the stream's address."""
    query = QueryDict(watched)
    choice, every = Choice.of(query), Task.objects.all()
    try:
        counts, found = choice.counts(every), rows(every.only("pk"), choice, "").rows
    except BadInput:
        return {}
    known = set(query.get("rows", "").split(","))
    number = sum(str(task.pk) not in known for task in found) if "rows" in query else 0
    told = {"number": number, "url": reverse("taskboard:tasks") + choice.query(), "choice": choice}
    return {
        "#tabs": render_to_string("taskboard/_tabs.html", {"tabs": tabs(choice, counts)}),
        "#announce": render_to_string("taskboard/_announcement.html", told),
    }


def _frame(choice: Choice, cursor: str) -> dict[str, Any]:
    """What is there whatever was found."""
    title, text = EMPTY.get(choice.tab, (_("No tasks yet"), ""))
    return {
        "choice": choice,
        "in_queue": choice.tab == lists.QUEUE,
        "sorts": [(sign, label) for sign, label in SORTS.items() if sign != "queue" or choice.usual == sign],
        "columns": _columns(choice),
        "csv_url": reverse("taskboard:tasks_csv") + choice.query(),
        "json_url": reverse("taskboard:tasks_json") + choice.query(after=cursor),
        "empty_title": title,
        "empty_text": text,
    }


def _columns(choice: Choice) -> dict[str, Column]:
    usual: Mapping[str, tuple[str, str]] = {
        "name": ("name", _("Task")),
        "progress": ("-progress", _("Progress")),
        "cost": ("-cost", _("Budget")),
        "created": ("-created", pgettext("a time", "Started")),
    }
    return {name: _column(choice, sign, label) for name, (sign, label) in usual.items()}


def _column(choice: Choice, sign: str, label: str) -> Column:
    order = choice.order
    if order.name != sign.removeprefix("-"):
        return Column(label, choice.query(sort=sign), "")
    return Column(label, choice.query(sort=order.other_way.sign), "descending" if order.down else "ascending")


def _tab_url(choice: Choice, tab: str) -> str:
    """Another tab keeps the search, and an order that a person chose."""
    return reverse("taskboard:tasks") + Choice(tab, choice.search, choice.sort).query()


def _stream(choice: Choice, tasks: Collection[Task], cursor: str) -> str:
    """What the page's stream follows: its own rows, the tabs, and on the first page what is new."""
    known = {} if cursor else {"rows": ",".join(str(task.pk) for task in tasks)}
    listed = {"tab": choice.tab, "q": choice.search, "sort": choice.sort, **known}
    watched = {"rows": ",".join(str(task.pk) for task in tasks), "list": urlencode(listed, safe=",")}
    return f"{reverse('taskboard:stream')}?{urlencode(watched, safe=',')}"
