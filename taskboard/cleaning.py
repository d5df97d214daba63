"""What comes from outside, made fit for both databases; what had to be changed is noted."""

import math
import re
import reprlib
from collections.abc import Mapping
from typing import Any

from taskboard.redaction import redact

DEEPEST = 20
LONGEST_TEXT = 100_000
LONGEST_NUMBER = 1024
"""Bits; no database and no reader of JSON takes numbers of any length."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Cleaner:
    """Cleans values and collects in `notes` what it changed."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def text(self, value: Any, longest: int = LONGEST_TEXT) -> str:
        """Text without secrets, NUL and lone surrogates (U+FFFD stands for them), cut to `longest` characters."""
        text = redact(value if isinstance(value, str) else str(value))
        clean, count = _UNSTORABLE.subn("\ufffd", text)
        if count:
            self._note(f"{count} characters that cannot be stored were replaced")
        if len(clean) > longest:
            self._note(f"{len(clean) - longest} characters were cut off")
            clean = clean[: longest - 1] + "…"
        return clean

    def json(self, value: Any, depth: int = 0) -> Any:
        """Plain JSON: text cleaned, NaN and infinities as text, too deep or foreign values as text."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return int(value) if value.bit_length() <= LONGEST_NUMBER else self._long_number(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else self._odd_number(value)
        if isinstance(value, str):
            return self.text(value)
        if depth >= DEEPEST:
            self._note("values nested too deep were turned into text")
            return self.text(reprlib.repr(value), 1000)
        if isinstance(value, Mapping):
            return {self.text(key, 200): self.json(item, depth + 1) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.json(item, depth + 1) for item in value]
        return self.text(value)

    def _long_number(self, value: int) -> str:
        self._note("numbers that are too long were turned into text")
        return self.text(hex(value), 1000)

    def _odd_number(self, value: float) -> str:
        self._note("numbers that are none (NaN, infinity) were turned into text")
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def clean_text(value: Any, longest: int = LONGEST_TEXT) -> str:
    """Text that both databases take; see Cleaner.text."""
    return Cleaner().text(value, longest)
