"""Finding an item across all tasks: "which runs touched /pricing, or led to ticket T-12?" However many items there
are, each way to look is bounded: ids outside and names that begin so by an index, names that contain it among the
newest items."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from taskboard.cleaning import clean_text
from taskboard.keys import clean_key
from taskboard.models import Item, Step, Task

BEGINNING, ANYWHERE, OUTSIDE = "beginning", "anywhere", "outside"
PER_PAGE = 50
NEWEST = 100_000
"""Among so many items names are searched anywhere."""
MOST = 10_000
"""More items that begin alike are not sorted: a longer beginning is asked for."""
LONGEST_ID = 300
MOST_LED = 1_000
"""Steps that led to one and the same id."""
_LAST = "\U0010ffff"


@dataclass(frozen=True)
class Found:
    """A page of items, the newest first, and how they were looked for."""

    rows: list[Item]
    how: str
    following: int | None
    too_many: bool = False


def find(user: AbstractBaseUser | AnonymousUser, text: str, how: str, before: int) -> Found:
    """`how` may be empty: an id outside comes first, and names that contain the text are looked for where none
    begins with it."""
    key = clean_key(text)
    seen = Task.objects.visible_to(user).filter(pk=OuterRef("task"))
    visible = Item.objects.listed().filter(Exists(seen))  # "in" would look into every task by itself
    if not key:
        return Found([], how or BEGINNING, None)
    if how in ("", OUTSIDE):
        led = visible.filter(pk__in=_led_to(text))
        if how or led.exists():
            return _page(led, OUTSIDE, before)
    if how != ANYWHERE:
        found = visible.filter(_begins(key))
        if found.order_by()[MOST : MOST + 1].exists():
            return Found([], BEGINNING, None, too_many=True)
        if how == BEGINNING or found.exists():
            return _page(found, BEGINNING, before)
    named = Q(key__icontains=key) | Q(label__icontains=key)
    return _page(visible.filter(named, pk__gt=_newest() - NEWEST), ANYWHERE, before)


def _page(found: "QuerySet[Item]", how: str, before: int) -> Found:
    rows = found.filter(pk__lt=before) if before else found
    shown = list(rows.select_related("task").defer("params").order_by("-pk")[: PER_PAGE + 1])
    return Found(shown[:PER_PAGE], how, shown[PER_PAGE - 1].pk if len(shown) > PER_PAGE else None)


def _led_to(text: str) -> list[int]:
    """The items of which a step led to this id outside, the newest ones."""
    steps = Step.objects.led_to(clean_text(text, LONGEST_ID).strip()).order_by("-pk")
    return list(steps.values_list("item", flat=True)[:MOST_LED])


def _begins(key: str) -> Q:
    """In the form in which each database uses its index."""
    if connection.vendor == "postgresql":
        return Q(key__startswith=key)
    return Q(key__gte=key, key__lt=key + _LAST)


def _newest() -> int:
    return Item.objects.aggregate(newest=Max("pk"))["newest"] or 0
