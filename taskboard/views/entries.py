"""Journal rows as people read them: a symbol, a tone, and one line of what the row says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard import looks
from taskboard.models import Checkpoint, Kind, Task
from taskboard.models.checkpoint import UNREADABLE
from taskboard.views import funnel

LOOKS: Mapping[str, tuple[str, str]] = {
    Kind.CREATED: ("mute", "plus"),
    Kind.IMPORTED: ("mute", "archive"),
    Kind.ITEMS: ("mute", "tasks"),
    Kind.INTENT: ("live", "play"),
    Kind.EXECUTED: ("live", "check"),
    Kind.RESULT: ("ok", "check-circle"),
    Kind.SKIPPED: ("mute", "skip"),
    Kind.FAILURE: ("bad", "x-circle"),
    Kind.RETRY: ("wait", "retry"),
    Kind.INTERRUPTED: ("stop", "alert"),
    Kind.RECONCILE: ("live", "search"),
    Kind.UNKNOWN: ("stop", "question"),
    Kind.LATE: ("wait", "clock"),
    Kind.GO_BACK: ("wait", "undo"),
    Kind.SUPERSEDED: ("mute", "undo"),
    Kind.ASKED: ("wait", "person"),
    Kind.DECIDED: ("ok", "person"),
    Kind.PICKED_UP: ("live", "inbox"),
    Kind.VOID: ("stop", "alert"),
    Kind.WITHDRAWN: ("mute", "minus-circle"),
    Kind.EXPIRED: ("stop", "clock"),
    Kind.BUDGET: ("wait", "coins"),
    Kind.RESUME: ("live", "play"),
    Kind.PERSON: ("mute", "user"),
    Kind.SAYS: ("mute", "comment"),
    Kind.RISK: ("stop", "alert"),
    Kind.NOTE: ("mute", "bell"),
}
DEEDS: Mapping[str, StrOrPromise] = {
    "pause": gettext_lazy("Paused by a person"),
    "cancel": gettext_lazy("Cancelled by a person"),
    "retry": gettext_lazy("To be tried again"),
    "skip": gettext_lazy("Skipped by a person"),
    "it happened": gettext_lazy("A person says: it happened"),
    "it did not happen": gettext_lazy("A person says: it did not happen"),
    "give up": gettext_lazy("Given up by a person"),
    "instruct": gettext_lazy("Instruction"),
    "reorder instructions": gettext_lazy("Instructions put in another order"),
    "delete instruction": gettext_lazy("Instruction taken back"),
    "stop after": gettext_lazy("Told where to stop"),
    "add items": gettext_lazy("Items added"),
    "add to the brief": gettext_lazy("Line added to the brief"),
    "move in the queue": gettext_lazy("Moved in the queue"),
}
"""What a person did, where "By a person" alone would say too little."""
TOLD = ("reason", "comment", "summary", "text", "error", "how", "action", "goal", UNREADABLE)
"""The keys of a row that are worth a line; the first that is there is shown."""


@dataclass(frozen=True)
class Entry:
    """A row with what the page adds to it."""

    row: Checkpoint
    tone: str
    symbol: str
    title: str
    told: str
    step: str

    @property
    def actor(self) -> str:
        """Worker processes have long names that say nothing here; the journal's file keeps them."""
        return _("a worker") if self.row.actor.startswith("worker ") else self.row.actor


def entries(task: Task, rows: Iterable[Checkpoint]) -> list[Entry]:
    spec = funnel.spec_of(task)
    named = {name: str(step.label) for name, step in spec.steps.items() if step.label} if spec else {}
    return [_entry(row, named.get(row.step, row.step)) for row in rows]


def _entry(row: Checkpoint, step: str) -> Entry:
    tone, symbol = LOOKS.get(row.kind, ("mute", "circle"))
    title = str(row.get_kind_display())
    if row.kind == Kind.STATUS:
        to = str(row.data.get("to", ""))
        tone, symbol = looks.looks(to)
        title = _("Task: %(status)s") % {"status": looks.word(to)}
    if row.kind == Kind.PERSON:
        title = str(DEEDS.get(str(row.data.get("did")), title))
    if row.kind == Kind.DECIDED and row.data.get("outcome") not in ("approved", None):
        tone, symbol = looks.looks(str(row.data["outcome"]))
    return Entry(row, tone, symbol, title, told(row.data), step)


def told(data: Mapping[str, Any]) -> str:
    """What a row says beyond its kind, in one line."""
    return next((str(data[name]) for name in TOLD if data.get(name)), "") or _fact(data)


def _mail(data: Mapping[str, Any]) -> str:
    """Whether the person who started the task was told of its turn."""
    words = {
        "sent": _("Mail to %(who)s: %(status)s"),
        "refused": _("Mail to %(who)s was refused by the mail server: %(status)s"),
    }
    about = {"who": data.get("to", ""), "status": looks.word(str(data.get("turn", "")))}
    return words.get(str(data["mail"]), "") % about


def _fact(data: Mapping[str, Any]) -> str:
    """The figures that rows of one kind carry."""
    if data.get("mail"):
        return _mail(data)
    if data.get("external_id"):
        return str(data["external_id"])
    if data.get("finished") and "total" in data:
        return _("%(total)s items in all") % {"total": data["total"]}
    if "added" in data:
        words = _("%(added)s items added") if data.get("did") else _("%(added)s items read")
        return words % {"added": data["added"]}
    if data.get("did") == "stop after":
        return str(data.get("step") or data.get("items") or _("nowhere: it goes on to its end"))
    if data.get("warning"):
        return _("%(percent)s %% of the budget is used") % {"percent": data["warning"]}
    if data.get("reached"):
        return _("the next step does not fit into the budget")
    return _("limit %(usd)s USD") % {"usd": data["limit_usd"]} if data.get("limit_usd") else ""
