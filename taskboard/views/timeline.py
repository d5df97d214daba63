"""The life of an item's steps as stretches of time, folded from its journal rows: work, and kinds of waiting."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from taskboard import looks
from taskboard.models import Checkpoint, Kind, Step

WORK, PERSON, LATER, LOOK, PICK_UP = "work", "person", "later", "look", "pick_up"
BEGINS: Mapping[str, str] = {
    Kind.INTENT: WORK, Kind.RETRY: LATER, Kind.INTERRUPTED: LOOK, Kind.UNKNOWN: PERSON, Kind.ASKED: PERSON,
    Kind.DECIDED: PICK_UP,
}  # fmt: skip
"""The stretch that a row of this kind begins; it ends the one before."""
ENDS = {
    Kind.RESULT, Kind.SKIPPED, Kind.FAILURE, Kind.GO_BACK, Kind.SUPERSEDED, Kind.PICKED_UP, Kind.VOID,
    Kind.WITHDRAWN, Kind.EXPIRED, Kind.PERSON, Kind.NOTE,
}  # fmt: skip
"""Kinds that only end one, if they moved the step."""
NAMES: Mapping[str, tuple[StrOrPromise, StrOrPromise]] = {
    WORK: (_("Attempt %(number)s"), _("Attempt %(number)s")),
    PERSON: (_("Waited for a person"), _("Waits for a person")),
    LATER: (_("Waited for the next attempt"), _("Waits for the next attempt")),
    LOOK: (_("Looked up what became of it"), _("Being looked up")),
    PICK_UP: (_("Waited to be picked up"), _("Waits to be picked up")),
}
"""What a stretch is called when it is over, and while it lasts."""
ENDED: Mapping[str, tuple[str, StrOrPromise]] = {
    Kind.RESULT: ("ok", _("Done")),
    Kind.SKIPPED: ("mute", _("Skipped")),
    Kind.FAILURE: ("bad", _("Failed")),
    Kind.RETRY: ("bad", _("Failed")),
    Kind.UNKNOWN: ("stop", _("Outcome unknown")),
    Kind.INTERRUPTED: ("stop", _("Interrupted: the lease ran out")),
    "limit": ("stop", _("No answer in time")),
    Kind.GO_BACK: ("wait", _("Went back")),
    Kind.SUPERSEDED: ("mute", _("Superseded")),
    Kind.ASKED: ("wait", _("A person is asked")),
    "cancelled": ("mute", _("Cancelled")),
}
"""How work ended: tone and word."""
ANSWERS = {"approve": "approved", "reject": "rejected"}
WAITS: Mapping[str, str] = {PERSON: "wait", LATER: "mute", LOOK: "mute", PICK_UP: "mute"}
"""Waiting has patterns of its own, so that it never looks like work."""
MOMENT = timedelta(seconds=1)
THINNEST = 1.5


@dataclass(frozen=True)
class Stretch:
    """From one row to the next that changed what goes on; `end` is empty while it lasts."""

    kind: str
    begin: datetime
    attempt: int = 0
    end: datetime | None = None
    ended: str = ""
    told: str = ""
    by: str = ""
    approval: int = 0
    start: str = "0"
    size: str = "0"

    @property
    def name(self) -> str:
        return str(NAMES[self.kind][self.end is None]) % {"number": self.attempt}

    @property
    def is_noticed(self) -> bool:
        """Moments between two attempts are of no interest."""
        return self.kind in (WORK, PERSON) or self.end is None or self.end - self.begin >= MOMENT

    @property
    def length(self) -> str:
        """How long it took, in words."""
        if self.end is None:
            return ""
        took = self.end - self.begin
        return looks.duration(took) if took >= MOMENT else str(_("under 1 s"))

    @property
    def tone(self) -> str:
        if self.kind in WAITS:
            return WAITS[self.kind]
        return ENDED.get(self.ended, ("live", ""))[0]

    @property
    def how(self) -> str:
        """How it ended, in a word; a person's answer says whose it was."""
        if self.kind == PERSON and self.ended in (Kind.DECIDED, Kind.PERSON):
            answer = looks.word(ANSWERS.get(self.told, self.told)) if self.ended == Kind.DECIDED else ""
            return " · ".join(str(part) for part in (answer, self.by) if part)
        return str(ENDED[self.ended][1]) if self.kind == WORK and self.ended in ENDED else ""


Name = tuple[str, int]
"""A step and its revision."""


def fold(rows: Iterable[Checkpoint]) -> dict[Name, list[Stretch]]:
    """The stretches of each revision of each step, from the rows of one item in their order. Pure."""
    found: dict[Name, list[Stretch]] = {}
    revisions: dict[str, int] = {}
    for row in rows:
        if row.step:
            revision = revisions.setdefault(row.step, 1)
            _take(found.setdefault((row.step, revision), []), row)
            revisions[row.step] += row.data.get("to") == "superseded"
    return found


def of_step(found: Mapping[Name, Sequence[Stretch]], step: Step) -> list[Stretch]:
    """Those of a step; what its rows do not tell (they came from elsewhere) is taken from the step itself."""
    stretches = list(found.get((step.name, step.revision), ()))
    if not stretches and step.started_at:
        stretches = [Stretch(WORK, step.started_at, step.attempt)]
        if step.finished_at:
            stretches = [replace(stretches[0], end=step.finished_at, ended=_as_kind(step.status))]
    if stretches and stretches[-1].end is None and not step.is_open:
        end = max(step.finished_at or stretches[-1].begin, stretches[-1].begin)
        stretches[-1] = replace(stretches[-1], end=end, ended=_as_kind(step.status))
    return stretches


def drawn(steps: Mapping[int, Sequence[Stretch]], now: datetime) -> dict[int, list[Stretch]]:
    """All stretches of an item (by the step's row) with their place on one common line of time, in percent."""
    every = [one for stretches in steps.values() for one in stretches]
    if not every:
        return {pk: [] for pk in steps}
    first, last = min(one.begin for one in every), max(one.end or now for one in every)
    whole = max((last - first).total_seconds(), 0.001)

    def place(one: Stretch) -> Stretch:
        size = max(100 * ((one.end or now) - one.begin).total_seconds() / whole, THINNEST)
        start = min(100 * (one.begin - first).total_seconds() / whole, 100 - size)
        return replace(one, start=f"{max(start, 0):.2f}", size=f"{size:.2f}")

    return {pk: [place(one) for one in stretches if one.is_noticed] for pk, stretches in steps.items()}


def _take(stretches: list[Stretch], row: Checkpoint) -> None:
    if row.kind == Kind.DECIDED and not row.data.get("decides", True):
        return
    begins = LATER if row.data.get("preparing") else BEGINS.get(row.kind)
    moved = row.kind in ENDS and ("to" in row.data or row.kind in (Kind.VOID, Kind.WITHDRAWN, Kind.EXPIRED))
    if (begins or moved) and stretches and stretches[-1].end is None:
        stretches[-1] = _ended(stretches[-1], row)
    if begins:
        approval = row.data.get("approval")
        number = approval if row.kind == Kind.ASKED and isinstance(approval, int) else 0
        stretches.append(Stretch(begins, row.at, row.attempt, approval=number))


def _ended(one: Stretch, row: Checkpoint) -> Stretch:
    told = row.data.get("outcome") if row.kind == Kind.DECIDED else row.data.get("reason")
    ended = "limit" if "limit_seconds" in row.data else row.kind
    return replace(one, end=max(row.at, one.begin), ended=ended, told=str(told or ""), by=row.actor)


def _as_kind(status: str) -> str:
    same: Mapping[str, str] = {
        "done": Kind.RESULT, "failed": Kind.FAILURE, "blocked": Kind.FAILURE, "skipped": Kind.SKIPPED,
        "superseded": Kind.SUPERSEDED,
    }  # fmt: skip
    return same.get(status, status)
