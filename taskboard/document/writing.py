"""JSON written piece by piece, so that a large document never stands in memory as a whole."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any


@dataclass(frozen=True)
class Members:
    """A JSON object whose members come one by one."""

    pairs: Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class Elements:
    """A JSON array whose elements come one by one."""

    values: Iterable[Any]


def one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def pieces(members: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """The text of an object: a line per member, and a line per entry of what is streamed inside."""
    yield from _enclosed(
        "{", "}", (chain([f"{one_line(key)}: "], _value(value)) for key, value in members), ""
    )
    yield "\n"


def _value(value: Any) -> Iterator[str]:
    if isinstance(value, Members):
        yield from _enclosed("{", "}", ([f"{one_line(k)}: {one_line(v)}"] for k, v in value.pairs), "  ")
    elif isinstance(value, Elements):
        yield from _enclosed("[", "]", ([one_line(v)] for v in value.values), "  ")
    else:
        yield one_line(value)


def _enclosed(opening: str, closing: str, entries: Iterable[Iterable[str]], indent: str) -> Iterator[str]:
    lead = f"{opening}\n"
    for entry in entries:
        yield f"{lead}{indent}  "
        yield from entry
        lead = ",\n"
    yield f"{opening}{closing}" if lead.startswith(opening) else f"\n{indent}{closing}"
