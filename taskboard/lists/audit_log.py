"""The audit log as a list: by person, act, kind, target, time and words; newest first, paged by key."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date

from taskboard import audit
from taskboard.cleaning import clean_text
from taskboard.lists.export import sheet
from taskboard.lists.paging import query_of
from taskboard.models import AuditEntry

PER_PAGE = 100
AT_ONCE = 200_000
"""At most this many rows are looked through for one page of a search; where few match, a person asks for more."""
SLACK = 1000
"""Rows of one moment are numbered in about the order of their times, not exactly."""
LONGEST = 200
COLUMNS = (
    "id", "at", "actor", "address", "action", "target_kind", "target_id", "target", "reason", "before", "after",
)  # fmt: skip
Entries = QuerySet[AuditEntry]


@dataclass(frozen=True)
class Wish:
    """What of the log is asked for; days are those of the reader's zone."""

    by: str = ""
    act: str = ""
    kind: str = ""
    target: str = ""
    q: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "Wish":
        asked = {one.name: clean_text(query.get(one.name, ""), LONGEST).strip() for one in fields(cls)}
        wish = cls(**asked)
        return replace(
            wish, since=wish.since if _day(wish.since) else "", until=wish.until if _day(wish.until) else ""
        )

    def query(self, **other: object) -> str:
        return query_of(**vars(self), **other)

    @property
    def is_any(self) -> bool:
        return not any(vars(self).values())


@dataclass(frozen=True)
class Page:
    """A page of the log. `following` is where it goes on; `cut` says that more may be there, further back."""

    rows: list[AuditEntry]
    following: int | None
    cut: bool = False


def entries(wish: Wish) -> Entries:
    """All that is asked for, newest first."""
    rows = AuditEntry.objects.order_by("-pk")
    exact = {"actor": wish.by, "action": wish.act, "target_kind": wish.kind, "target": wish.target}
    rows = rows.filter(**{column: value for column, value in exact.items() if value})
    if wish.q:
        rows = rows.filter(
            Q(target__icontains=wish.q) | Q(reason__icontains=wish.q) | Q(actor__icontains=wish.q)
        )
    return _until(_since(rows, _day(wish.since)), _day(wish.until))


def page(wish: Wish, before: int) -> Page:
    rows = entries(wish)
    if before:
        rows = rows.filter(pk__lt=before)
    floor = 0 if wish.is_any else (before or _end()) - AT_ONCE
    shown = list(rows.filter(pk__gte=floor)[: PER_PAGE + 1] if floor > 1 else rows[: PER_PAGE + 1])
    if len(shown) > PER_PAGE:
        return Page(shown[:PER_PAGE], shown[PER_PAGE - 1].pk)
    return Page(shown, floor, cut=True) if floor > 1 else Page(shown, None)


def lines(rows: Entries) -> Iterator[str]:
    """JSON Lines."""
    for entry in rows.iterator(chunk_size=1000):
        yield json.dumps(audit.as_json(entry), ensure_ascii=False) + "\n"


def csv(rows: Entries) -> Iterator[str]:
    return sheet(
        COLUMNS, ([_cell(getattr(row, name)) for name in COLUMNS] for row in rows.iterator(chunk_size=1000))
    )


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def _since(rows: Entries, day: date | None) -> Entries:
    if day is None:
        return rows
    begin = _midnight(day)
    first = AuditEntry.objects.filter(at__gte=begin).order_by("at").values_list("pk", flat=True).first()
    return rows.none() if first is None else rows.filter(at__gte=begin, pk__gte=first - SLACK)


def _until(rows: Entries, day: date | None) -> Entries:
    if day is None or day == date.max:
        return rows
    end = _midnight(day + timedelta(days=1))
    last = AuditEntry.objects.filter(at__lt=end).order_by("-at").values_list("pk", flat=True).first()
    return rows.none() if last is None else rows.filter(at__lt=end, pk__lte=last + SLACK)


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def _day(text: str) -> date | None:
    """A day that both databases know; anything else counts as not given."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day and 1900 < day.year < 9000 else None


def _end() -> int:
    newest = AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first()
    return (newest or 0) + 1
