"""Sentences that the database keeps, such as why a task stands still. They are kept in English, whoever caused them,
and read in the language of the reader: told by their pattern, since documents and older rows hold the text alone."""

import re
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext, gettext_noop, ngettext

HOLE = re.compile(r"%(?:\((?P<name>\w+)\))?(?P<kind>[sd])")
NUMBER, PART = "number", "what"
"""The hole that a counted sentence is counted by, and the one that holds such sentences itself."""
END = re.compile(r"(?<=\.) (?=[A-Z])")
ALL: list["Sentence"] = []


@dataclass(frozen=True)
class Sentence:
    """One with holes; calling it gives what is kept. `several` is the form for other numbers than one."""

    text: str
    several: str = ""

    def __post_init__(self) -> None:
        ALL.append(self)

    def __call__(self, *parts: object, **named: object) -> str:
        text = self.several if self.several and named[NUMBER] != 1 else self.text
        return text % (parts or named)

    def shown(self, *parts: object, **named: object) -> str:
        """The same in the language of whoever reads just now."""
        if not self.several:
            return gettext(self.text) % (parts or named)
        return ngettext(self.text, self.several, int(str(named[NUMBER]))) % named

    def read(self, kept: str) -> str | None:
        """What it kept, as `shown`; None for any other text."""
        for text in filter(None, (self.text, self.several)):
            if found := _pattern(text).fullmatch(kept):
                named = {name: _filled(name, part) for name, part in found.groupdict().items()}
                return self.shown(**named) if named else self.shown(*found.groups())
        return None


def ngettext_noop(one: str, several: str) -> tuple[str, str]:
    """Marks a counted text for the catalogue, as `gettext_noop` does a plain one."""
    return one, several


STOPPED_BEHIND_STEP = Sentence(gettext_noop("Stopped after the step %(step)s, as %(name)s said."))
STOPPED_BEHIND_ITEMS = Sentence(
    *ngettext_noop(
        "Stopped after %(number)d item, as %(name)s said.",
        "Stopped after %(number)d items, as %(name)s said.",
    )
)
TAKEN_OUT = Sentence(gettext_noop("Taken out of the queue."))
CANCELLED = Sentence(gettext_noop("The task was cancelled."))
BUDGET_CHANGED = Sentence(gettext_noop("%(name)s changed the budget."))
GIVEN_UP = Sentence(gettext_noop("Given up: %s"))
HAPPENED = Sentence(gettext_noop("It happened, said by %(name)s."))
SAID_BY = Sentence(gettext_noop("said by %(name)s"))
ADDED = Sentence(gettext_noop("Items were added; this is done again when they are through."))
WAITS = Sentence(gettext_noop("Waits: %(system)s is frozen by %(name)s. %(reason)s"))
THAWED = Sentence(gettext_noop("It no longer waits for %(system)s."))
DEPLOYED = Sentence(
    gettext_noop("The workflow was changed by a deploy. %(what)s Say whether to go on with it.")
)
PUT_ASIDE = Sentence(gettext_noop("The workflow was changed by a deploy."))
CODE_CHANGED = Sentence(gettext_noop("The code of the workflow has changed; the task goes on."))
STEP_GONE = Sentence(gettext_noop("The step %s is gone."))
STEP_NEW = Sentence(gettext_noop("The step %s is new."))
STEP_CHANGED = Sentence(gettext_noop("The step %(step)s has changed: %(options)s."))
STEPS_MOVED = Sentence(gettext_noop("The steps come in another order."))
CHANGED_MEANWHILE = Sentence(gettext_noop("It has changed meanwhile."))
REJECTED = Sentence(gettext_noop("Rejected by %(who)s: %(why)s"))
WITHDRAWN = Sentence(gettext_noop("Withdrawn by %(who)s: %(why)s"))
UNANSWERED = Sentence(
    gettext_noop("Nobody answered in time, and the policy of the question says that this means no.")
)
UNSEALED = Sentence(gettext_noop("The stored action no longer fits its seal."))
NO_RIGHT = Sentence(gettext_noop("%(name)s may not do this any more."))


def read(kept: str) -> str:
    """A kept text for whoever reads just now: one of these sentences in their language, any other as it is."""
    return next((told for one in ALL if (told := one.read(kept)) is not None), kept)


def _filled(name: str, part: str) -> str | int:
    if name == NUMBER:
        return int(part)
    return " ".join(map(read, END.split(part))) if name == PART else part


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """The sentence with whatever fills its holes."""
    found, end = "", 0
    for hole in HOLE.finditer(text):
        filling = r"\d{1,9}" if hole["kind"] == "d" else r".*?"
        found += re.escape(text[end : hole.start()])
        found += f"(?P<{hole['name']}>{filling})" if hole["name"] else f"({filling})"
        end = hole.end()
    return re.compile(found + re.escape(text[end:]), re.DOTALL)
