"""Secret values that this process has come to know, taken out of every text that leaves it.

What a step answers, the errors it raises and the lines it logs are written by other people's code: it may hand on a
secret without meaning to. So whoever reads a secret tells it here first, and what is stored, shown or logged passes by.
"""

import json
import re
import threading
from urllib.parse import quote, quote_plus

HIDDEN = "••••••"
SHORTEST = 6
"""What is shorter would be found in texts that have nothing to do with it."""
LONG_LINE = 16
"""A line of a secret that has several, such as a key, is hidden by itself from this length on."""
MOST = 1000

_lock = threading.Lock()
_known: dict[str, None] = {}
_pattern: re.Pattern[str] | None = None


def remember(value: str) -> None:
    """From now on this value is hidden, also as it stands in an address or in JSON."""
    global _pattern  # noqa: PLW0603 one pattern per process, made anew when there is more to hide
    forms = [form for form in _forms(value) if form not in _known]
    if not forms:
        return
    with _lock:
        _known.update(dict.fromkeys(forms))
        while len(_known) > MOST:
            del _known[next(iter(_known))]
        longest_first = sorted(_known, key=len, reverse=True)
        _pattern = re.compile("|".join(map(re.escape, longest_first)))


def redact(text: str) -> str:
    """The text without the secrets that are known here."""
    return text if _pattern is None else _pattern.sub(HIDDEN, text)


def redact_bytes(content: bytes) -> bytes:
    """The same for a file, if it holds text."""
    if _pattern is None:
        return content
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return content
    clean = redact(text)
    return content if clean == text else clean.encode()


def _forms(value: str) -> list[str]:
    lines = [line.strip() for line in value.splitlines()]
    parts = [value.strip(), *(line for line in lines if len(line) >= LONG_LINE)]
    return [form for part in parts for form in _ways(part) if len(form) >= SHORTEST]


def _ways(part: str) -> tuple[str, ...]:
    as_json = (json.dumps(part)[1:-1], json.dumps(part, ensure_ascii=False)[1:-1])
    return (part, quote(part), quote(part, safe=""), quote_plus(part), *as_json)
