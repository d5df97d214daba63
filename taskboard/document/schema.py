"""The JSON Schema of the document, and its refusals as sentences."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from taskboard.document.parse import refuse, shown

FILE = Path(__file__).parents[2] / "docs" / "state-document.schema.json"
_formats = FormatChecker(formats=())
_KINDS = {
    "object": "an object", "array": "a list", "string": "text", "number": "a number",
    "integer": "a whole number", "boolean": "true or false", "null": "null",
}  # fmt: skip


def check(document: Any) -> None:
    """Raises BadInput with the path of the first fault."""
    for error in _validator().iter_errors(document):
        fault = _innermost(error)
        place = (_missing(fault),) if fault.validator == "required" else ()
        refuse((*fault.absolute_path, *place), _sentence(fault))


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(FILE.read_text("utf-8")), format_checker=_formats)


def _is_instant(value: object) -> bool:
    if not isinstance(value, str):
        return True
    moment = datetime.fromisoformat(value)
    return moment.tzinfo is not None and 1970 <= moment.astimezone(UTC).year <= 9000


def _innermost(error: ValidationError) -> ValidationError:
    """Of alternatives, the fault in the one that fits best: that of the same kind of value."""
    fits = [one for one in error.context or () if one.validator != "type"]
    return _innermost(fits[-1]) if fits else error


_formats.checks("date-time", raises=(ValueError, OverflowError))(_is_instant)


def _missing(error: ValidationError) -> str:
    return next(str(name) for name in error.validator_value if name not in error.instance)


def _sentence(error: ValidationError) -> str:
    say = _SENTENCES.get(error.validator)
    return say(error) if say else f"This is {shown(error.instance)}, which is not allowed here."


def _type(error: ValidationError) -> str:
    allowed = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    return f"This is {shown(error.instance)}, but must be {' or '.join(_KINDS[kind] for kind in allowed)}."


def _enum(error: ValidationError) -> str:
    return f"{shown(error.instance)} is not known here; allowed are: {', '.join(error.validator_value)}."


def _extra(error: ValidationError) -> str:
    known = error.schema["properties"]
    extra = next(name for name in error.instance if name not in known)
    return f"There is no field {shown(extra)} here; known are: {', '.join(known)}."


def _too_long(error: ValidationError) -> str:
    return f"The text {shown(error.instance)} has more than {error.validator_value} characters."


_SENTENCES: Mapping[str, Callable[[ValidationError], str]] = {
    "type": _type,
    "enum": _enum,
    "additionalProperties": _extra,
    "maxLength": _too_long,
    "required": lambda error: "This is missing.",
    "const": lambda error: (
        f"This is {shown(error.instance)}; only {shown(error.validator_value)} can be read."
    ),
    "minimum": lambda error: (
        f"This is {shown(error.instance)}, but must be at least {error.validator_value}."
    ),
    "maximum": lambda error: f"This is {shown(error.instance)}, but must be at most {error.validator_value}.",
    "minLength": lambda error: "This is empty.",
    "pattern": lambda error: f"{shown(error.instance)} does not look like task_20260917_0042.",
    "format": lambda error: (
        f"{shown(error.instance)} is no time with its offset from UTC, such as 2026-09-17T09:00:00+08:00."
    ),
}
