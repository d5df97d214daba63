"""The list of tasks as people ask for it: a tab, a search, an order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property

from django.db.models import Count, F, Q
from django.db.models.functions import Left, Lower
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import attention, looks
from taskboard.errors import BadInput
from taskboard.lists import words
from taskboard.lists.paging import Order, order_of, query_of
from taskboard.models import TaskStatus
from taskboard.models.task import FINISHED_TASKS, OPEN_TASKS, TaskQuerySet
from taskboard.money import to_micro

ALL, RUNNING, QUEUE, WAITING, ATTENTION, FINISHED = "", "running", "queue", "waiting", "attention", "finished"
HELD = "held"
TABS: Mapping[str, Q] = {
    ALL: Q(),
    RUNNING: Q(status=TaskStatus.RUNNING, held=False),
    QUEUE: Q(status=TaskStatus.PENDING, held=False),
    WAITING: Q(status__in=(TaskStatus.WAITING, TaskStatus.PAUSED)) | Q(status__in=OPEN_TASKS, held=True),
    ATTENTION: attention.NEEDY,
    FINISHED: Q(status__in=FINISHED_TASKS),
}
"""What each tab holds; a task may be in more than one."""
ORDERS: Mapping[str, Order] = {
    order.name: order
    for order in (
        Order("created", "id", int),
        Order("updated", "updated_at", datetime),
        Order("name", Lower(Left("goal", 60)), str),
        Order("progress", "progress", int),
        Order("cost", F("spent_micro"), int),
        Order("queue", "queue_position", int),
    )
}
NEWEST = "-created"
SIGNS = {">=": "gte", "<=": "lte", ">": "gt", "<": "lt", "": "exact"}


@dataclass(frozen=True)
class Choice:
    """What is asked for; equal choices are the same address."""

    tab: str = ALL
    search: str = ""
    sort: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "Choice":
        tab = query.get("tab", "")
        choice = cls(tab if tab in TABS else ALL, query.get("q", "").strip()[: words.LONGEST])
        sign = order_of(ORDERS, query.get("sort", ""), choice.usual).sign
        return replace(choice, sort="" if sign == choice.usual else sign)

    @property
    def usual(self) -> str:
        return "queue" if self.tab == QUEUE else NEWEST

    @property
    def order(self) -> Order:
        return order_of(ORDERS, self.sort, self.usual)

    @cached_property
    def words(self) -> list[words.Word]:
        return words.read(self.search, FILTERS)

    def query(self, **other: str) -> str:
        """The address of this list, or of one that differs in something, such as another page of it."""
        return query_of(**{"tab": self.tab, "q": self.search, "sort": self.sort, **other})

    def rows(self, tasks: TaskQuerySet) -> TaskQuerySet:
        return self.searched(tasks).filter(TABS[self.tab])

    def searched(self, tasks: TaskQuerySet) -> TaskQuerySet:
        """Of every tab; raises BadInput if the search cannot be understood."""
        for word in self.words:
            meant = FILTERS[word.name](word.value) if word.name else text(word.value)
            tasks = tasks.filter(~meant if word.unwanted else meant)
        return tasks

    def counts(self, tasks: TaskQuerySet) -> dict[str, int]:
        """How many each tab holds of what is searched for, by one query."""
        counted = {f"in_{tab}": Count("pk", filter=meant) for tab, meant in TABS.items() if tab}
        found = self.searched(tasks).order_by().aggregate(in_=Count("pk"), **counted)
        return {tab: found[f"in_{tab}"] for tab in TABS}


def text(value: str) -> Q:
    """A word without a name."""
    return Q(goal__icontains=value) | Q(public_id__icontains=value)


def _status(value: str) -> Q:
    """One status or several with commas between them, as the program or as people call them."""
    known = {HELD: Q(held=True)}
    for status in TaskStatus:
        known |= dict.fromkeys((status.value, str(looks.word(status)).lower()), Q(status=status, held=False))
    meant = Q(pk__in=())
    for name in value.lower().split(","):
        if name not in known:
            told = {"name": name, "known": ", ".join([*TaskStatus.values, HELD])}
            raise BadInput(_("No task is ever “%(name)s”. A status is one of: %(known)s.") % told)
        meant |= known[name]
    return meant


def _cost(value: str) -> Q:
    sign, amount = _compared(value)
    return Q(**{f"spent_micro__{SIGNS[sign]}": to_micro(amount.removeprefix("$"), "cost")})


def _created(value: str) -> Q:
    """A day in the reader's zone: `today`, `2026-09-17`, `>2026-09-17` (after it), `<=2026-09-17`."""
    sign, text = _compared(value)
    begin, end = _bounds(_day(text))
    return {
        "": Q(created_at__gte=begin, created_at__lt=end),
        ">": Q(created_at__gte=end),
        ">=": Q(created_at__gte=begin),
        "<": Q(created_at__lt=begin),
        "<=": Q(created_at__lt=end),
    }[sign]


def _bounds(day: date) -> tuple[datetime, datetime]:
    begin, end = (datetime.combine(one, time()) for one in (day, day + timedelta(days=1)))
    return timezone.make_aware(begin), timezone.make_aware(end)


def _day(text: str) -> date:
    named = {"today": 0, "yesterday": 1}
    if text.lower() in named:
        return timezone.localdate() - timedelta(days=named[text.lower()])
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise BadInput(
            _("“%s” is no day. Write today, yesterday or a day such as 2026-09-17.") % text
        ) from error
    if not 1971 <= day.year <= 9000:
        raise BadInput(_("“%s” is too far away for a day of this list.") % text)
    return day


def _compared(value: str) -> tuple[str, str]:
    sign = next(sign for sign in SIGNS if value.startswith(sign))
    return sign, value.removeprefix(sign).strip()


FILTERS: Mapping[str, Callable[[str], Q]] = {
    "status": _status,
    "owner": lambda value: Q(created_by_name__iexact=value),
    "workflow": lambda value: Q(workflow__iexact=value),
    "cost": _cost,
    "created": _created,
}
"""The qualifiers of a search."""
