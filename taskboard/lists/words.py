"""What a person typed into a search box: plain words, and qualifiers such as `status:running`. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.utils.translation import gettext as _

from taskboard.cleaning import clean_text
from taskboard.errors import BadInput

LONGEST = 300
MOST_WORDS = 20
_WORD = re.compile(
    r'(?P<minus>-?)(?:(?P<name>[^\W\d_]+):(?!/))?(?:"(?P<quoted>[^"]*)"?|(?P<bare>[^\s"]\S*)?)'
)


@dataclass(frozen=True)
class Word:
    """One thing that is searched for; without a name it is plain text. `typed` is how it was written."""

    name: str
    value: str
    unwanted: bool
    typed: str


def read(text: str, names: Collection[str]) -> list[Word]:
    """The words of a search; raises BadInput for a qualifier that does not exist or has no value."""
    found = [_word(match) for match in _WORD.finditer(clean_text(text, LONGEST)) if match[0]]
    for word in found:
        if word.name and word.name not in names:
            raise BadInput(_unknown(word.name, names))
        if word.name and not word.value:
            raise BadInput(_("Write something behind “%(name)s:”, without a space.") % {"name": word.name})
    if len(found) > MOST_WORDS:
        raise BadInput(_("Search for at most %d words at once.") % MOST_WORDS)
    return [word for word in found if word.value]


def without(words: list[Word], left_out: Word) -> str:
    """The search as it is typed without one of its words."""
    return " ".join(word.typed for word in words if word is not left_out)


def _word(match: re.Match[str]) -> Word:
    name, value = (match["name"] or "").lower(), match["quoted"] or match["bare"] or ""
    minus = match["minus"]
    if minus and not name and not value:  # a dash that stands alone is one
        return Word("", minus, unwanted=False, typed=minus)
    return Word(name, value.strip(), bool(minus), match[0])


def _unknown(name: str, names: Collection[str]) -> str:
    told = {"name": name, "known": ", ".join(f"{one}:" for one in names)}
    there = _("There is no “%(name)s:” to search by. There are %(known)s.") % told
    return f"{there} {_('To search for the text itself, put it in quotation marks.')}"
