"""Which items of a task are meant: by status, step, cause, text, cost and whether an action is for them, or one by
one. Pages, addresses and bulk jobs share it."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from taskboard.cleaning import clean_text
from taskboard.errors import BadInput
from taskboard.models import BulkAction, Item, ItemStatus, Step, StepStatus, Task
from taskboard.money import to_micro
from taskboard.numbers import whole

S = StepStatus
NOT_WELL = (S.FAILED, S.BLOCKED, S.UNKNOWN)
TO_COME = "pending"
AT: Mapping[str, tuple[StepStatus, ...]] = {
    "done": (S.DONE,),
    "running": (S.STARTED,),
    "waiting_approval": (S.WAITING_APPROVAL,),
    "blocked": (S.UNKNOWN, S.BLOCKED),
    "failed": (S.FAILED,),
    "rejected": (S.REJECTED,),
    "skipped": (S.SKIPPED,),
    "cancelled": (S.CANCELLED,),
}
"""The statuses of a step under the words that the pages use for it; `pending` stands for all still to come."""
FITS: Mapping[str, tuple[StepStatus, ...]] = {
    BulkAction.RETRY: (S.FAILED, S.BLOCKED),
    BulkAction.SKIP: (S.FAILED, S.BLOCKED),
    BulkAction.GIVE_UP: (S.UNKNOWN,),
}
"""The statuses of the steps that an action on many items is for."""
NOT = "-"
"""Before an action: the items that it is not for."""
OPEN_ITEMS = (ItemStatus.PENDING, ItemStatus.RUNNING, ItemStatus.WAITING_APPROVAL, ItemStatus.BLOCKED)
COST = re.compile(r"\s*([<>]?)\s*\$?\s*([0-9]+(?:[.,][0-9]{1,6})?|[.,][0-9]{1,6})\s*")
LONGEST = 200
MOST_CHOSEN = 200


@dataclass(frozen=True)
class Selection:
    """Conditions that all hold; empty ones say nothing. `items` are ids of items, chosen one by one."""

    status: str = ""
    step: str = ""
    at: str = ""
    error: str = ""
    text: str = ""
    cost: str = ""
    fits: str = ""
    items: tuple[int, ...] = ()

    @property
    def is_empty(self) -> bool:
        return self == Selection()

    @property
    def conditions(self) -> dict[str, str]:
        """Without the chosen items and without what is empty, as it stands in an address."""
        return {name: value for name, value in asdict(self).items() if value and name != "items"}

    def as_json(self) -> dict[str, Any]:
        return self.conditions | ({"items": list(self.items)} if self.items else {})

    def without(self, name: str) -> "Selection":
        """The same but for one condition; a step takes along what is said about it."""
        gone = {name, "at", "error"} if name == "step" else {name}
        return of_json({key: value for key, value in self.as_json().items() if key not in gone})

    def narrow(self, items: "QuerySet[Item]") -> "QuerySet[Item]":
        """Those of the items of a task that are meant. Raises BadInput for a cost that is not an amount."""
        if self.items:
            items = items.filter(pk__in=self.items)
        if self.status:
            items = items.filter(status=self.status)
        if self.text:
            items = items.filter(Q(key__icontains=self.text) | Q(label__icontains=self.text))
        if self.cost:
            sign, micro = amount(self.cost)
            items = items.filter(**{"cost_micro__lt" if sign == "<" else "cost_micro__gt": micro})
        return self._fitting(self._at_step(items))

    def fitting_steps(self, action: str) -> "QuerySet[Step]":
        """What an action is for. A step or a cause that is named is meant alone, not others of the same item."""
        named = {"name": self.step, "error_class": self.error}
        meant = {name: value for name, value in named.items() if value}
        return Step.objects.filter(status__in=FITS[action], **meant).order_by()

    def fitting(self, action: str) -> "Selection":
        """Those of the items that an action is for."""
        return replace(self, fits=action)

    def passed_over(self, action: str) -> "Selection":
        """The others."""
        return replace(self, fits=f"{NOT}{action}")

    def _fitting(self, items: "QuerySet[Item]") -> "QuerySet[Item]":
        if not self.fits:
            return items
        steps = self.fitting_steps(self.fits.removeprefix(NOT))
        there = Exists(steps.filter(item=OuterRef("pk"), task=OuterRef("task")))
        return items.filter(~there if self.fits.startswith(NOT) else there)

    def _at_step(self, items: "QuerySet[Item]") -> "QuerySet[Item]":
        if self.step and (self.at in AT or self.error):
            return items.filter(**self._step_conditions())
        if self.error:
            failed = Step.objects.filter(item=OuterRef("pk"), error_class=self.error, status__in=NOT_WELL)
            items = items.filter(Exists(failed))
        if not self.step:
            return items
        here = Step.objects.filter(item=OuterRef("pk"), name=self.step)
        if self.at == TO_COME:
            passed = here.exclude(status__in=(S.PENDING, S.SUPERSEDED))
            return items.filter(~Exists(passed), status__in=OPEN_ITEMS)
        return items.filter(Q(status__in=OPEN_ITEMS) | Exists(here.current()))

    def _step_conditions(self) -> dict[str, Any]:
        """Spelled so that the databases can go through the index of steps, where few of them match."""
        statuses = AT.get(self.at, NOT_WELL)
        told: dict[str, Any] = {
            "steps__task": F("task"),
            "steps__name": self.step,
            "steps__status__in": statuses,
        }
        return told | ({"steps__error_class": self.error} if self.error else {})


def of_query(query: Mapping[str, Any]) -> Selection:
    """As an address or a form gives it; unknown words count as not given, since addresses grow old."""
    step, error, text, cost = (
        clean_text(str(query.get(name, ""))[:LONGEST]).strip() for name in ("step", "error", "text", "cost")
    )
    status, at, fits = (str(query.get(name, "")) for name in ("status", "at", "fits"))
    fits = fits if fits.removeprefix(NOT) in FITS else ""
    at = at if step and (at in AT or at == TO_COME) else ""
    return Selection(status if status in ItemStatus.values else "", step, at, error, text, cost, fits)


def of_json(told: Mapping[str, Any]) -> Selection:
    """As a bulk job keeps it."""
    known: dict[str, Any] = {name: told[name] for name in Selection.__dataclass_fields__ if name in told}
    return Selection(**known | {"items": tuple(told.get("items", ()))})


def chosen(ids: list[str]) -> Selection:
    """Items ticked one by one."""
    numbers = dict.fromkeys(map(whole, ids[:MOST_CHOSEN]))
    return Selection(items=tuple(pk for pk in numbers if pk is not None))


def amount(text: str) -> tuple[str, int]:
    """`>` or `<` and micro-USD; a number alone means more than that."""
    found = COST.fullmatch(text)
    if found is None:
        raise BadInput(_("Write a cost as > 0.05 or < 2, in USD."))
    return found[1] or ">", to_micro(found[2].replace(",", "."))


def items_of(task: Task) -> "QuerySet[Item]":
    """The items that can be selected: all but the one that stands for the whole task."""
    return Item.objects.listed().filter(task=task)
