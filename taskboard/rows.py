"""Many rows at once, the same on SQLite and PostgreSQL."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

from django.db import connection
from django.db.models import DateTimeField, Field, JSONField, Model, QuerySet
from django.db.models.base import ModelState

AT_ONCE = 2_000
"""Rows in one statement on PostgreSQL."""

Row = Sequence[Any]
Fields = Sequence["Field[Any, Any]"]
Values = tuple[Any, ...]
M = TypeVar("M", bound=Model)


def insert(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], key: Sequence[str] = ()
) -> dict[Values, int]:
    """Insert rows of values in the order of `columns` (field names). With a `key`, some columns that tell the rows
    apart, it returns the new ids by what each row has there."""
    fields, table = _fields(model, columns), _quote(model._meta.db_table)
    into = f"INSERT INTO {table} ({', '.join(_quote(field.column) for field in fields)})"
    if connection.vendor == "sqlite":
        return _insert_each(f"{into} VALUES ({', '.join('?' * len(fields))})", fields, rows, columns, key)
    told = ", ".join(["id", *(_quote(field.column) for field in _fields(model, key))])
    back = f"RETURNING {told}" if key else ""
    new: dict[Values, int] = {}
    for at in range(0, len(rows), AT_ONCE):
        values, source, parameters = _source(fields, rows[at : at + AT_ONCE])
        sql = f"{into} SELECT {', '.join(values)} FROM {source} {back}"  # noqa: S608
        new |= {row[1:]: row[0] for row in _answer(sql, parameters)}
    return new


def update(
    model: type[Model], match: Sequence[str], columns: Sequence[str], rows: Sequence[Row], where: str = ""
) -> list[int]:
    """Update rows: each holds the values of `match` (its id first), then those of `columns`. Returns the ids of
    the rows that matched; `where` narrows further, in SQL without parameters."""
    fields, table = _fields(model, (*match, *columns)), _quote(model._meta.db_table)
    names, width = [_quote(field.column) for field in fields], len(match)

    def parts(values: Sequence[str]) -> tuple[str, str]:
        sets = [f"{name} = {value}" for name, value in zip(names[width:], values[width:], strict=True)]
        guards = [f"{table}.{name} = {value}" for name, value in zip(names[:width], values, strict=False)]
        return ", ".join(sets), " AND ".join([*guards, where] if where else guards)

    if connection.vendor == "sqlite":
        sets, condition = parts([f"?{number}" for number in range(1, len(fields) + 1)])
        return _update_each(f"UPDATE {table} SET {sets} WHERE {condition}", fields, rows)  # noqa: S608
    changed: list[int] = []
    for at in range(0, len(rows), AT_ONCE):
        values, source, parameters = _source(fields, rows[at : at + AT_ONCE], width)
        sets, condition = parts(values)
        sql = f"UPDATE {table} SET {sets} FROM {source} WHERE {condition} RETURNING {table}.id"  # noqa: S608
        changed += [row[0] for row in _answer(sql, parameters)]
    return changed


def select(model: type[Model], columns: Sequence[str], match: str, among: Collection[int]) -> list[Values]:
    """The columns as they stand in the database (JSON as text) of the rows whose `match` is among these."""
    (field,) = _fields(model, [match])
    names = ", ".join(_quote(field.column) for field in _fields(model, columns))
    read = f"SELECT {names} FROM {_quote(model._meta.db_table)} WHERE {_quote(field.column)}"  # noqa: S608
    if connection.vendor == "sqlite":
        return _answer(f"{read} IN (SELECT value FROM json_each(%s))", [json.dumps(list(among))])  # noqa: S608
    # One look-up after the other: a new table has no statistics yet, and PostgreSQL would rather read all of it.
    each = f"unnest(%s::bigint[]) AS wanted(one) CROSS JOIN LATERAL ({read} = wanted.one OFFSET 0) AS found"
    return _answer(f"SELECT found.* FROM {each}", [list(among)])  # noqa: S608


def load(rows: QuerySet[M]) -> list[M]:
    """The objects of a query. Django's constructor asks every field of every row; thousands of rows a second
    are had for half of that."""
    names = [field.attname for field in rows.model._meta.concrete_fields]
    return [_loaded(rows.model, rows.db, names, row) for row in rows.values_list(*names)]


def _loaded(model: type[M], database: str, names: Sequence[str], row: Values) -> M:
    one = model.__new__(model)
    state = ModelState()
    state.adding, state.db = False, database
    one.__dict__.update(zip(names, row, strict=True), _state=state)
    return one


def _insert_each(
    sql: str, fields: Fields, rows: Sequence[Row], columns: Sequence[str], key: Sequence[str]
) -> dict[Values, int]:
    there = [columns.index(name) for name in key]
    ids = _each(sql, fields, rows, attrgetter("lastrowid"))
    return {tuple(row[n] for n in there): new for row, new in zip(rows, ids, strict=True)}


def _update_each(sql: str, fields: Fields, rows: Sequence[Row]) -> list[int]:
    counts = _each(sql, fields, rows, attrgetter("rowcount"))
    return [row[0] for row, count in zip(rows, counts, strict=True) if count]


def _each(sql: str, fields: Fields, rows: Sequence[Row], told: Callable[[Any], int]) -> list[int]:
    """SQLite is in this process: a statement that is prepared once and run for each row is the fastest, without
    Django's cursor around it. Returns what the cursor tells after each row."""
    connection.ensure_connection()
    with connection.wrap_database_errors, closing(connection.connection.cursor()) as cursor:
        return [told(cursor.execute(sql, row)) for row in _converted(fields, rows)]


def _answer(sql: str, parameters: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall()) if cursor.description else []


def _source(fields: Fields, rows: Sequence[Row], leading: int = 1) -> tuple[list[str], str, dict[str, Any]]:
    """For PostgreSQL: an expression per column, the table that they read from, and the parameters. What is the
    same in all rows stands in the statement once; the rest goes as one JSON text, since parsing thousands of
    placeholders would cost more than the statement itself. The `leading` columns always go with the rows: from a
    status that stands in the statement PostgreSQL would conclude that an index of those in that status will do,
    full of dead entries as it is, and leave the one of the ids alone."""
    columns = list(zip(*rows, strict=True))
    varying = [n for n, column in enumerate(columns) if n < leading or column.count(column[0]) != len(column)]
    names = [f"c{n}" for n in varying]
    told = [dict(zip(names, row, strict=True)) for row in zip(*(columns[n] for n in varying), strict=True)]
    (first,) = _converted(fields, rows[:1])
    parameters = {f"c{n}": value for n, value in enumerate(first) if n not in varying}
    parameters["rows"] = json.dumps(told, default=datetime.isoformat)
    values = [f"v.c{n}" if n in varying else f"%(c{n})s" for n in range(len(fields))]
    typed = ", ".join(f"c{n} {_type(fields[n])}" for n in varying)
    return values, f"json_to_recordset(%(rows)s::json) AS v({typed})", parameters


def _converted(fields: Fields, rows: Sequence[Row]) -> Iterable[Values]:
    """The rows as the database takes them; by columns, since most of them need nothing done."""
    converters = map(_converter, fields)
    columns = zip(*rows, strict=True)
    return zip(
        *(map(c, column) if c else column for c, column in zip(converters, columns, strict=False)),
        strict=True,
    )


def _converter(field: "Field[Any, Any]") -> Callable[[Any], Any] | None:
    """How a value of this field is written, without asking Django's field about each of thousands of values."""
    if isinstance(field, DateTimeField):
        return _as_text if connection.vendor == "sqlite" else None
    if isinstance(field, JSONField):
        adapt, encoder = connection.ops.adapt_json_value, field.encoder
        return lambda value: None if value is None else adapt(value, encoder)
    return None


@lru_cache(maxsize=1000)
def _as_text(moment: datetime | None) -> str | None:
    """As Django writes it to SQLite; the same moment often stands in many rows."""
    return None if moment is None else str(moment.astimezone(UTC).replace(tzinfo=None))


def _fields(model: type[Model], names: Sequence[str]) -> Fields:
    return [model._meta.get_field(name) for name in names]  # type: ignore[misc]


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)


def _type(field: "Field[Any, Any]") -> str:
    return "bigint" if field.primary_key else str(field.db_type(connection))
