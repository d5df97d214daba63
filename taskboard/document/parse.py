"""Bytes to plain values; anything but clean JSON is refused with the place of the fault."""

import json
import math
import re
from typing import Any, NoReturn

from taskboard.errors import BadInput

LARGEST = 50 * 1024 * 1024
DEEPEST = 40
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
Path = tuple[str | int, ...]


class _Twice(dict[str, Any]):
    """An object in which a key stands twice; refused once its path is known."""

    key = ""


def parse(raw: bytes) -> Any:
    """The document's values; raises BadInput for a broken file and for values that cannot be stored."""
    refuse_large(len(raw))
    try:
        value = json.loads(raw.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise BadInput(f"This file is not UTF-8 text (byte {error.start + 1}).") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadInput(f"This is not complete JSON: {error.msg}. Is the file whole?", place) from error
    except RecursionError as error:
        raise BadInput(f"Values are nested deeper than {DEEPEST} levels.") from error
    except ValueError as error:
        raise BadInput("A number in this file has too many digits.") from error
    _check_values(value)
    return value


def refuse_large(size: int) -> None:
    if size > LARGEST:
        raise BadInput(f"This file has {size:,} bytes; a document has at most {LARGEST:,}.")


def refuse(path: Path, message: str) -> NoReturn:
    """Raise BadInput with a path such as items.page_087.steps.notify.status."""
    raise BadInput(message, ".".join(map(str, path)))


def shown(value: Any) -> str:
    """A value in a sentence: short, and without characters that would spoil the line."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    seen: set[str] = set()
    twice = _Twice(value)
    twice.key = next(key for key, _value in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return twice


def _check_values(document: Any) -> None:
    waiting: list[tuple[Path, Any]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        if len(path) > DEEPEST:
            refuse(path[:4], f"Values are nested deeper than {DEEPEST} levels.")
        if isinstance(value, dict):
            _check_object(path, value)
            waiting += [((*path, key), inner) for key, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [((*path, number), inner) for number, inner in reversed(list(enumerate(value)))]
        elif isinstance(value, str):
            _check_text(path, value)
        elif isinstance(value, float) and not math.isfinite(value):
            refuse(path, "This is not a number that can be stored (NaN, infinite or too large).")


def _check_object(path: Path, value: dict[str, Any]) -> None:
    for key in value:
        _check_text(path, key)
    if isinstance(value, _Twice):
        refuse((*path, value.key), "This key stands twice in the same object.")


def _check_text(path: Path, text: str) -> None:
    if found := _UNSTORABLE.search(text):
        refuse(path, f"The character U+{ord(found[0]):04X} cannot be stored; take it out of {shown(text)}.")
