"""Finding an item across all tasks: "which runs touched /pricing?" However many items there are, each way to
look is bounded: names that begin so by an index, names that contain it among the newest items."""

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from taskboard.keys import clean_key
from taskboard.models import Item, Task

BEGINNING, ANYWHERE = "beginning", "anywhere"
PER_PAGE = 50
NEWEST = 100_000
"""Among so many items names are searched anywhere."""
MOST = 10_000
"""More items that begin alike are not sorted: a longer beginning is asked for."""
_LAST = "\U0010ffff"


@dataclass(frozen=True)
class Found:
    """A page of items, the newest first, and how they were looked for."""

    rows: list[Item]
    how: str
    following: int | None
    too_many: bool = False


def find(user: AbstractBaseUser | AnonymousUser, text: str, how: str, before: int) -> Found:
    """`how` may be empty: names that contain the text are looked for where none begins with it."""
    key = clean_key(text)
    seen = Task.objects.visible_to(user).filter(pk=OuterRef("task"))
    visible = Item.objects.listed().filter(Exists(seen))  # "in" would look into every task by itself
    if not key:
        return Found([], how or BEGINNING, None)
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


def _begins(key: str) -> Q:
    """In the form in which each database uses its index."""
    if connection.vendor == "postgresql":
        return Q(key__startswith=key)
    return Q(key__gte=key, key__lt=key + _LAST)


def _newest() -> int:
    return Item.objects.aggregate(newest=Max("pk"))["newest"] or 0
