"""Pages of a sorted list, by the key of the last row seen: stable while rows come, and as fast on page 1,000."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Combinable

from taskboard.cleaning import clean_text
from taskboard.numbers import whole

Row = TypeVar("Row", bound=Model)
Key = int | str | datetime


@dataclass(frozen=True)
class Order:
    """One way to sort: by a column or expression, then by the row's number, which makes it total."""

    name: str
    by: str | Combinable
    kind: type[Key]
    down: bool = False

    @property
    def sign(self) -> str:
        return f"-{self.name}" if self.down else self.name

    @property
    def other_way(self) -> "Order":
        return Order(self.name, self.by, self.kind, not self.down)

    def cursor(self, row: Any) -> str:
        """Where the next page begins, after this row."""
        key = row.sort_key
        return f"{key.isoformat() if isinstance(key, datetime) else key}~{row.pk}"

    def read(self, cursor: str) -> tuple[Key, int] | None:
        """What `cursor` wrote; any other text means the first page."""
        text, _tilde, number = cursor.rpartition("~")
        key, pk = _key(self.kind, text), _signed(number)
        return None if key is None or pk is None else (key, pk)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Some rows of a list, and the cursor of the page that follows (empty: there is none)."""

    rows: list[Row]
    following: str


def order_of(orders: Mapping[str, Order], sign: str, usual: str) -> Order:
    """The order that an address names; an unknown one is the usual one."""
    found = orders.get(sign.removeprefix("-")) or orders[usual.removeprefix("-")]
    sign = sign if found.name == sign.removeprefix("-") else usual
    return found if found.down == sign.startswith("-") else found.other_way


def ordered(rows: QuerySet[Row], order: Order) -> QuerySet[Row]:
    by = F(order.by) if isinstance(order.by, str) else order.by
    minus = "-" if order.down else ""
    found: QuerySet[Row] = rows.annotate(sort_key=by).order_by(f"{minus}sort_key", f"{minus}pk")
    return found


def page(rows: QuerySet[Row], order: Order, cursor: str, size: int) -> Page[Row]:
    """The rows after the cursor."""
    found, after = ordered(rows, order), order.read(cursor)
    if after is not None:
        found = found.filter(_beyond("lt" if order.down else "gt", *after))
    shown = list(found[: size + 1])
    return Page(shown[:size], order.cursor(shown[size - 1]) if len(shown) > size else "")


def _beyond(sign: str, key: Key, pk: int) -> Q:
    """The first condition is implied by the others; it is there for an index."""
    same = Q(**{"sort_key": key, f"pk__{sign}": pk})
    return Q(**{f"sort_key__{sign}e": key}) & (Q(**{f"sort_key__{sign}": key}) | same)


def _key(kind: type[Key], text: str) -> Key | None:
    if kind is int:
        return _signed(text)
    return _moment(text) if kind is datetime else clean_text(text)


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _signed(text: str) -> int | None:
    found = whole(text.removeprefix("-"))
    return -found if found and text.startswith("-") else found


def query_of(**values: object) -> str:
    """The query of an address, without what is empty."""
    return "?" + urlencode({name: value for name, value in values.items() if value})
