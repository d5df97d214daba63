"""Many rows in one statement, the same on SQLite and PostgreSQL."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import BooleanField, DateTimeField, Field, JSONField, Model

MOST_PARAMETERS = 30_000
"""SQLite takes 32,766 in one statement."""

Row = Sequence[Any]
Fields = Sequence["Field[Any, Any]"]


def insert(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows of values in the order of `columns` (field names)."""
    fields = [_field(model, name) for name in columns]
    table, names = _quote(model._meta.db_table), ", ".join(_quote(field.column) for field in fields)
    for chunk in _chunks(rows, len(fields)):
        source, parameters = _source(fields, chunk)
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT * FROM {source}", parameters)  # noqa: S608


def update(
    model: type[Model], match: Sequence[str], columns: Sequence[str], rows: Sequence[Row], where: str = ""
) -> list[int]:
    """Update rows by one statement: each row holds the values of `match`, then those of `columns`.
    Returns the ids of the rows that matched; `where` narrows further, in SQL without parameters."""
    fields = [_field(model, name) for name in (*match, *columns)]
    table = _quote(model._meta.db_table)
    numbered = list(enumerate(fields, 1))
    sets = ", ".join(f"{_quote(field.column)} = v.column{n}" for n, field in numbered[len(match) :])
    guards = [f"{table}.{_quote(field.column)} = v.column{n}" for n, field in numbered[: len(match)]]
    condition = " AND ".join([*guards, where] if where else guards)
    changed: list[int] = []
    for chunk in _chunks(rows, len(fields)):
        source, parameters = _source(fields, chunk)
        with connection.cursor() as cursor:
            sql = f"UPDATE {table} SET {sets} FROM {source} WHERE {condition} RETURNING {table}.id"  # noqa: S608
            cursor.execute(sql, parameters)
            changed += [row[0] for row in cursor.fetchall()]
    return changed


def _source(fields: Fields, rows: Sequence[Row]) -> tuple[str, list[Any]]:
    """A table expression `v` with columns column1, column2 … and its parameters. PostgreSQL gets the rows as
    one JSON text: parsing thousands of placeholders would cost more than the statement itself."""
    if connection.vendor == "sqlite":
        line = "(" + ", ".join(["%s"] * len(fields)) + ")"
        return f"(VALUES {', '.join([line] * len(rows))}) AS v", _prepared(fields, rows)
    columns = ", ".join(f"column{n} {_type(field)}" for n, field in enumerate(fields, 1))
    names = [f"column{n}" for n in range(1, len(fields) + 1)]
    told = json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=datetime.isoformat)
    return f"json_to_recordset(%s::json) AS v({columns})", [told]


def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    return model._meta.get_field(name)  # type: ignore[return-value]


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)


def _type(field: "Field[Any, Any]") -> str:
    return "bigint" if field.primary_key else str(field.db_type(connection))


def _chunks(rows: Sequence[Row], width: int) -> Iterator[Sequence[Row]]:
    size = MOST_PARAMETERS // width
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _prepared(fields: Fields, rows: Sequence[Row]) -> list[Any]:
    prepare = [_converter(field) for field in fields]
    return [to_db(value) for row in rows for to_db, value in zip(prepare, row, strict=True)]


def _converter(field: "Field[Any, Any]") -> Callable[[Any], Any]:
    if isinstance(field, (JSONField, DateTimeField, BooleanField)):
        return partial(field.get_db_prep_save, connection=connection)
    return _as_it_is


def _as_it_is(value: Any) -> Any:
    return value
