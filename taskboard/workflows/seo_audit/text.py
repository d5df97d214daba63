"""Small helpers for text as people see it: width, clean-up, cutting at a word."""

import re
import unicodedata

SMALL_WORDS = frozenset(
    (
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "in",
        "into",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "with",
    )
)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")
CLAUSE_END = re.compile(r"(?:[:;]\s|\s[–—|(-]\s?|[，：；])")


def clean(text: str) -> str:
    """White space squeezed; what no database takes (NUL, lone surrogates) becomes U+FFFD."""
    seen = "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)
    return " ".join(seen.split())


def width(text: str) -> int:
    """Columns on a screen: a Chinese character is as wide as two Latin letters."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text: str, columns: int) -> str:
    """The longest beginning that fits into so many columns."""
    used = 0
    for place, character in enumerate(text):
        used += width(character)
        if used > columns:
            return text[:place]
    return text


def shorten(text: str, columns: int) -> str:
    """Cut at a word, with an ellipsis; the text itself if it fits."""
    if width(text) <= columns:
        return text
    head = cut(text, columns - 1)
    if " " in head and text[len(head)] != " ":
        head = head.rsplit(" ", 1)[0]
    return _without_loose_end(head) + "…"


def shorten_title(text: str, columns: int) -> str:
    """Cut a title where a clause ends if enough of it is left, otherwise at a word."""
    if width(text) <= columns:
        return text
    ends = [match.start() for match in CLAUSE_END.finditer(text)]
    fitting = [text[:end].rstrip() for end in ends if columns // 3 <= width(text[:end]) <= columns]
    return fitting[-1] if fitting else shorten(text, columns)


def whole_sentences(text: str, columns: int) -> str:
    """As many whole sentences as fit; if not even one of a fair length does, a beginning cut at a word."""
    taken = ""
    for sentence in SENTENCE_END.split(text):
        longer = f"{taken} {sentence}".strip() if taken and not _wide(taken[-1]) else taken + sentence
        if width(longer) > columns:
            break
        taken = longer
    return taken if width(taken) >= columns // 3 or taken == text else shorten(text, columns)


def from_file_name(path: str) -> str:
    """`help/glaze-care.html` -> `Glaze care`; an index page is named after its folder."""
    parts = [part for part in path.split("/") if part]
    stem = parts[-1].rsplit(".", 1)[0] if parts else ""
    if stem.lower() == "index" and len(parts) > 1:
        stem = parts[-2]
    words = " ".join(re.split(r"[-_+\s]+", stem)).strip()
    return words[:1].upper() + words[1:]


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def _without_loose_end(text: str) -> str:
    words = text.rstrip(" ,;:–—-(|").split(" ")
    while len(words) > 2 and words[-1].lower() in SMALL_WORDS:
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(|")
