"""Conditions of partial indices word for word: given as values, SQLite would not recognise them."""

from collections.abc import Iterable

from django.db.models import BooleanField, TextChoices
from django.db.models.expressions import RawSQL


def not_empty(column: str) -> RawSQL:
    """`NOT (table.column = '')`, as a partial index says it."""
    return RawSQL(f"NOT ({column} = '')", (), output_field=BooleanField())  # noqa: S611


def one_of(column: str, values: Iterable[TextChoices]) -> RawSQL:
    """`table.column IN (…)`, for a query whose first table this is; the values are words of our own code."""
    words = ", ".join(f"'{value.value}'" for value in values)
    return RawSQL(f"{column} IN ({words})", (), output_field=BooleanField())  # noqa: S611
