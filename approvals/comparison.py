"""Before and after as one list of lines: nothing left out, each changed line beside what it became."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher


def compare(before: str, after: str) -> list[str]:
    """Lines as difflib marks them: `-` gone, `+` new, a space for those that stay."""
    old, new = before.splitlines(), after.splitlines()
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [line for tag, a, b, c, d in found for line in _told(tag, old[a:b], new[c:d])]


def _told(tag: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if tag == "equal":
        yield from (f" {line}" for line in old)
    elif len(old) == len(new):
        for gone, there in zip(old, new, strict=True):
            yield f"-{gone}"
            yield f"+{there}"
    else:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
