"""Parts of a sentence put together in the reader's language, with the marks that it puts between them."""

from collections.abc import Iterable
from functools import reduce

from django.utils.translation import gettext as _


def listed(parts: Iterable[str]) -> str:
    """`3 skipped, 1 failed`."""
    return _joined(parts, _("%(one)s, %(next)s"))


def clauses(parts: Iterable[str]) -> str:
    """`Missing title; 2 broken links`."""
    return _joined(parts, _("%(one)s; %(next)s"))


def flowing(sentences: Iterable[str]) -> str:
    """One whole sentence after the other."""
    return _joined(sentences, _("%(one)s %(next)s"))


def sentence(parts: Iterable[str]) -> str:
    """A list with a full stop; empty where there is nothing."""
    told = listed(parts)
    return _("%(told)s.") % {"told": told} if told else ""


def _joined(parts: Iterable[str], pattern: str) -> str:
    told = [part for part in parts if part]
    return reduce(lambda one, following: pattern % {"one": one, "next": following}, told) if told else ""
