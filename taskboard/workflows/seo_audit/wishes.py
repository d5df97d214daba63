"""What people ask for who want changes: a line that names a text is taken word for word, and nothing is guessed."""

import re
from collections.abc import Collection, Iterable, Mapping

from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit import phrases
from taskboard.workflows.seo_audit.text import clean

LONGEST = 200


def labels() -> dict[str, str]:
    """What people call the texts of a page."""
    return {"title": _("Title"), "description": _("Description")}


def fields() -> dict[str, str]:
    """Which text is meant by a name, in English or in the language of the questions."""
    told = labels()
    return {**{field: field for field in told}, **{label: field for field, label in told.items()}}


def named(requests: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """The texts behind lines such as `Title: …`, under what each name stands for; of two lines the later one counts.
    One that is too long to be kept whole is left out."""
    found: dict[str, str] = {}
    for line in "\n".join(requests).splitlines():
        for name, key in names.items():
            told = re.fullmatch(rf"\s*{re.escape(name)}\s*[:：](.+)", line, re.IGNORECASE)
            if told and 0 < len(text := clean(told[1])) <= LONGEST:
                found[key] = text
    return found


def answer(taken: Collection[str], example: str) -> dict[str, str]:
    """What the proposal makes of the request, as a line of its evidence."""
    words = (
        _("Taken word for word: %(names)s.") % {"names": ", ".join(taken)}
        if taken
        else _(
            "This audit makes its texts by fixed rules and cannot follow free words. "
            "Ask again with a line that says the text itself, such as: %(example)s"
        )
        % {"example": example}
    )
    return {"label": phrases.REQUEST(), "text": words}
