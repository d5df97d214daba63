"""Before and after as one list of lines: nothing left out, each changed line beside what it became."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True)
class Row:
    """A line that is gone (`remove`), new (`add`) or stays; `middle` is what differs from its counterpart."""

    kind: str
    start: str
    middle: str = ""
    end: str = ""


def compare(before: str, after: str) -> list[Row]:
    """All lines of both, in the order of the second."""
    old, new = before.splitlines(), after.splitlines()
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [row for tag, a, b, c, d in found for row in _told(tag, old[a:b], new[c:d])]


def _told(tag: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    if tag == "equal":
        yield from (Row("same", line) for line in old)
    elif len(old) == len(new):
        for gone, there in zip(old, new, strict=True):
            yield from _pair(gone, there)
    else:
        yield from (Row("remove", line) for line in old)
        yield from (Row("add", line) for line in new)


def _pair(gone: str, there: str) -> Iterator[Row]:
    """Where less than half is common, marking the rest would say nothing."""
    start = _alike(gone, there)
    end = _alike(gone[start:][::-1], there[start:][::-1])
    if 2 * (start + end) < min(len(gone), len(there)) or _turns(gone + there):
        start = end = 0
    for kind, line in (("remove", gone), ("add", there)):
        last = len(line) - end
        whole = start + end == 0
        yield Row(kind, line) if whole else Row(kind, line[:start], line[start:last], line[last:])


def _alike(one: str, other: str) -> int:
    """How many characters both begin with, in whole words."""
    pairs = enumerate(zip(one, other, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    while 0 < place < max(len(one), len(other)) and one[place - 1].isalnum():
        place -= 1
    return place


def _turns(text: str) -> bool:
    """Text that runs from right to left stays in one piece, or its words would change places."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
