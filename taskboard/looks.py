"""How things look to people: the tone and symbol of a status, the parts of a bar, an age in words."""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal

from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from taskboard.models.step import StepStatus
from taskboard.models.task import ItemStatus, TaskStatus
from taskboard.money import to_usd

Words = str | Promise

LOOKS: dict[str, tuple[str, str]] = {
    "pending": ("mute", "circle"),
    "running": ("live", "half"),
    "started": ("live", "half"),
    "begun": ("live", "half"),
    "waiting": ("wait", "hourglass"),
    "waiting_approval": ("wait", "person"),
    "open": ("wait", "person"),
    "paused": ("mute", "pause"),
    "blocked": ("stop", "blocked"),
    "unknown": ("stop", "question"),
    "void": ("stop", "alert"),
    "done": ("ok", "check-circle"),
    "completed": ("ok", "check-circle"),
    "approved": ("ok", "check-circle"),
    "failed": ("bad", "x-circle"),
    "partly_failed": ("bad", "alert"),
    "rejected": ("bad", "ban"),
    "changes_requested": ("wait", "retry"),
    "skipped": ("mute", "skip"),
    "cancelled": ("mute", "minus-circle"),
    "withdrawn": ("mute", "minus-circle"),
    "superseded": ("mute", "undo"),
    "expired": ("mute", "clock"),
}
"""Tone and symbol of each status; a new status looks like "pending" until it has its own line."""

WORDS: dict[str, Words] = {
    "open": _("Open"),
    "approved": _("Approved"),
    "changes_requested": _("Changes requested"),
    "expired": _("Expired"),
    "withdrawn": _("Withdrawn"),
    "void": _("Void"),
    "begun": _("Begun"),
    "partly_failed": _("Partly failed"),
    **{str(value): label for kind in (TaskStatus, StepStatus, ItemStatus) for value, label in kind.choices},
}

TOAST_TONES = {"success": "ok", "info": "live", "warning": "wait", "error": "bad"}

FILLS: dict[str, str] = {
    "done": "ok",
    "skipped": "mute",
    "running": "live",
    "begun": "still",
    "waiting_approval": "wait",
    "blocked": "stop",
    "failed": "bad",
    "rejected": "no",
    "cancelled": "off",
    "pending": "",
}
"""The pattern of each item status in a bar, in the order of the bar; pending is its empty ground."""

AGES: dict[str, Words] = {
    "now": _("just now"),
    "soon": _("in a moment"),
    "min": _("%(n)s min ago"),
    "h": _("%(n)s h ago"),
    "d": _("%(n)s d ago"),
    "in_min": _("in %(n)s min"),
    "in_h": _("in %(n)s h"),
    "in_d": _("in %(n)s d"),
}

MINUTE, HOUR, DAY = 60, 3600, 86400
CENT = Decimal("0.01")
THINNEST = 1.2
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def looks(status: str) -> tuple[str, str]:
    return LOOKS.get(status, LOOKS["pending"])


def word(status: str) -> Words:
    return WORDS.get(status, status)


def age(past: timedelta) -> str:
    """`3 min ago`, or `in 2 h` if it is negative; local-time.js counts the same way."""
    seconds = past.total_seconds()
    size = abs(seconds)
    if size < 45:
        return str(AGES["now" if seconds >= 0 else "soon"])
    unit, length = ("min", MINUTE) if size < 1.5 * HOUR else ("h", HOUR) if size < 1.5 * DAY else ("d", DAY)
    number = max(1, int(size / length + 0.5))
    return str(AGES[unit if seconds >= 0 else f"in_{unit}"]) % {"n": number}


def duration(length: timedelta) -> str:
    """`2 h 5 min`: the two largest units."""
    seconds = max(0, round(length.total_seconds()))
    if seconds < MINUTE:
        return str(_("%(n)s s")) % {"n": seconds}
    days, hours, minutes = seconds // DAY, seconds % DAY // HOUR, seconds % HOUR // MINUTE
    units = ((days, _("%(n)s d")), (hours, _("%(n)s h")), (minutes, _("%(n)s min")))
    first = next(place for place, (number, _unit) in enumerate(units) if number)
    return " ".join(str(unit) % {"n": number} for number, unit in units[first : first + 2] if number)


def percent(part: int, whole: int) -> int:
    """Rounded, but 100 only once all is there, and 0 only while nothing is."""
    if not 0 < part < whole:
        return 100 if whole and part else 0
    return min(max((200 * part + whole) // (2 * whole), 1), 99)


def dollars(amount: Decimal | int) -> str:
    """`$1,234.50`, exactly: whole numbers are micro-USD, decimals USD; fractions of a cent only where needed."""
    value = to_usd(amount) if isinstance(amount, int) else amount
    places = max(2, -int(value.normalize().as_tuple().exponent))
    return f"${formats.number_format(value, places, use_l10n=True, force_grouping=True)}"


def short_dollars(amount: Decimal | int) -> str:
    """The same in whole cents; what is less than one cent stays exact."""
    value = to_usd(amount) if isinstance(amount, int) else amount
    return dollars(value if abs(value) < CENT else value.quantize(CENT, rounding=ROUND_HALF_UP))


@dataclass(frozen=True)
class Part:
    """One colour of a bar, with sizes in percent as text that SVG understands in any language."""

    status: str
    count: int
    fill: str
    start: str
    size: str

    @property
    def word(self) -> Words:
        return word(self.status)

    @property
    def number(self) -> str:
        return formats.number_format(self.count, 0, use_l10n=True, force_grouping=True)


def parts(counts: Mapping[str, int]) -> list[Part]:
    """All statuses that occur; whatever is not nothing stays wide enough to be seen."""
    known = {status: counts.get(status, 0) for status in FILLS}
    total = sum(known.values()) or 1
    wide = {status: max(100 * count / total, THINNEST) if count else 0.0 for status, count in known.items()}
    scale = 100 / (sum(wide.values()) or 1)
    found, start = [], 0.0
    for status, count in known.items():
        size = wide[status] * scale
        if count:
            found.append(Part(status, count, FILLS[status], f"{start:.2f}", f"{size:.2f}"))
        start += size
    return found


def hidden(character: str) -> bool:
    """Whether it is there without being seen, or changes how its neighbours are read."""
    if character in "\n\t":
        return False
    return character in FILLERS or unicodedata.category(character) in UNSEEN


@dataclass(frozen=True)
class Line:
    """One line of a difference."""

    kind: str
    text: str


def diff_lines(diff: str | list[str]) -> Iterator[Line]:
    """The lines of a unified diff, without the two that name the files."""
    kinds = {"+": "add", "-": "remove", "@": "place"}
    in_head = True
    for line in diff.splitlines() if isinstance(diff, str) else diff:
        text = line.rstrip("\r\n")
        in_head = in_head and not text.startswith("@@")
        if not (in_head and text.startswith(("---", "+++"))):
            yield Line(kinds.get(text[:1], "same"), text)


CAUSES: Mapping[str, Words] = {
    "Absent": _("Did not happen"),
    "GivenUp": _("Given up by a person"),
    "GoBack": _("Went back too often"),
    "Interrupted": _("The worker ended"),
    "KillsWorker": _("Ended its worker again and again"),
    "LeaseLost": _("Another worker took it over"),
    "NotSent": _("Not sent"),
    "TimeLimit": _("No answer in time"),
}
"""The causes that the engine itself names; others are classes of errors, as their authors call them."""


def cause(error_class: str) -> Words:
    """Why a step failed, in a few words; a dash where nobody named it."""
    return CAUSES.get(error_class, error_class or "–")
