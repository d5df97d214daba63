"""Sentences that the database keeps, such as why a task stands still. They are kept in English, whoever caused them,
and read in the language of the reader: told by their pattern, since documents and older rows hold the text alone."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from django.utils.translation import get_language, gettext, gettext_noop, ngettext

from taskboard import joining

HOLE = re.compile(r"%(?:\((?P<name>\w+)\))?(?P<kind>[sd])")
NUMBER, PART = "number", "what"
"""The hole that a counted sentence is counted by, and the one that holds such sentences itself."""
COUNTS = (NUMBER, "count", "n")
"""All that the first of them is called."""
WORDS = ("id", "to")
"""Holes without a space in them, so that what a person writes is not taken for such a sentence."""
END = re.compile(r"(?<=\.) (?=[A-Z])")
LONGEST = 2000
"""Longer text is not such a sentence."""
ALL: list["Sentence"] = []


@dataclass(frozen=True)
class Sentence:
    """One with holes; calling it gives what is kept. `several` is the form for other numbers than one."""

    text: str
    several: str = ""

    def __post_init__(self) -> None:
        ALL.append(self)

    def __call__(self, *parts: object, **named: object) -> str:
        text = self.several if self.several and _count(named) != 1 else self.text
        return text % (parts or named)

    def shown(self, *parts: object, **named: object) -> str:
        """The same in the language of whoever reads just now."""
        if not self.several:
            return gettext(self.text) % (parts or named)
        return ngettext(self.text, self.several, _count(named)) % named

    def read(self, kept: str) -> str | None:
        """What it kept, as `shown`; None for any other text."""
        for text in filter(None, (self.text, self.several)):
            if found := _pattern(text).fullmatch(kept):
                kinds = {hole["name"]: hole["kind"] for hole in HOLE.finditer(text)}
                named = {name: _filled(name, part, kinds[name]) for name, part in found.groupdict().items()}
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
NOT_VERIFIED = Sentence(gettext_noop("Accepted, but not verified: %(what)s"))
NOT_VERIFIABLE = Sentence(gettext_noop("Accepted, but it could not be verified: %(what)s"))
NOT_CHECKED = Sentence(gettext_noop("It is there already, but could not be checked: %(what)s"))
ANSWER_LOST = Sentence(gettext_noop("The answer was lost: %(what)s"))
WORKER_LOST = Sentence(gettext_noop("The worker was lost."))
LOOKED_UP = Sentence(gettext_noop("It was looked up again."))
NO_LOOK_UP = Sentence(gettext_noop("This write cannot be looked up."))
LOOK_UP_FAILED = Sentence(gettext_noop("Looking it up failed: %(what)s"))
FOUND_BUT = Sentence(gettext_noop("It was found, but: %(what)s"))
STILL_OUTSIDE = Sentence(gettext_noop("It is still being worked on outside."))
NOT_YET = Sentence(gettext_noop("Not there yet."))
DID_NOT_HAPPEN = Sentence(gettext_noop("It was looked up: it surely did not happen."))
DIFFERS = Sentence(gettext_noop("What would be done now differs from what was approved."))
RAISE = Sentence(gettext_noop("Raise the budget of %(id)s"))
UNTIL_RAISED = Sentence(gettext_noop("The task goes on; until then nothing more of it is started."))
LIMIT = Sentence(gettext_noop("Limit: %(amount)s USD"))
NEXT_NEEDS = Sentence(gettext_noop("Next step needs"))
FORECAST = Sentence(gettext_noop("Forecast for the whole task"))
BY_ESTIMATES = Sentence(
    gettext_noop(
        "%(total)s USD: %(spent)s spent or set aside, %(ahead)s for what is left, partly by mere estimates."
    )
)
BY_LATEST_COSTS = Sentence(
    gettext_noop(
        "%(total)s USD: %(spent)s spent or set aside, %(ahead)s for what is left at its latest costs."
    )
)
ALSO_STARTED = Sentence(gettext_noop("%(what)s, who also started the task"))
IN_PLACE = Sentence(gettext_noop("in place of %(name)s, %(what)s"))
PASSED_ON = Sentence(gettext_noop("passed on to %s"))
MEMBER = Sentence(gettext_noop("member of %(what)s"))
CHANGED_BEFORE = Sentence(gettext_noop("Changed before it was stored"))
REPLACED = Sentence(gettext_noop("The proposal changed; a new question took its place."))
GROUPS = tuple(
    map(Sentence, (gettext_noop("Operators"), gettext_noop("Managers"), gettext_noop("Administrators")))
)
"""The groups that every installation has; those that it made itself are called as they are."""


def read(kept: str) -> str:
    """A kept text for whoever reads just now: one of these sentences in their language, or nothing but such
    sentences in a row; any other as it is."""
    if len(kept) > LONGEST or (get_language() or "en").startswith("en"):
        return kept
    if (told := _known(kept)) is not None:
        return told
    return _row(kept.split("; "), joining.clauses) or _row(END.split(kept), joining.flowing) or kept


def _row(parts: list[str], joined: Callable[[list[str]], str]) -> str:
    known = [told for part in parts if (told := _known(part)) is not None]
    return joined(known) if len(known) == len(parts) else ""


def _known(kept: str) -> str | None:
    return next((told for one in ALL if (told := one.read(kept)) is not None), None)


def _count(named: Mapping[str, object]) -> int:
    return next(int(str(named[name])) for name in COUNTS if name in named)


def _filled(name: str, part: str, kind: str) -> str | int:
    if kind == "d":
        return int(part)
    return read(part) if name == PART else part


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """The sentence with whatever fills its holes."""
    found, end = "", 0
    for hole in HOLE.finditer(text):
        filling = r"\d{1,9}" if hole["kind"] == "d" else r"\S+" if hole["name"] in WORDS else r".*?"
        found += re.escape(text[end : hole.start()])
        found += f"(?P<{hole['name']}>{filling})" if hole["name"] else f"({filling})"
        end = hole.end()
    return re.compile(found + re.escape(text[end:]), re.DOTALL)
