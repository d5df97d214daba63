"""Journal rows as people read them: a symbol, a tone, and one line of what the row says."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_stubs_ext import StrOrPromise

from taskboard import looks, sentences
from taskboard.models import Checkpoint, Kind, Task
from taskboard.models.checkpoint import UNREADABLE
from taskboard.views import funnel, resumed

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
    Kind.COMMENT: ("mute", "comment"),
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
    "withdraw comment": gettext_lazy("Comment taken back"),
    "close risk": gettext_lazy("Risk closed"),
    "open risk": gettext_lazy("Risk raised by a person"),
    "move in the queue": gettext_lazy("Moved in the queue"),
    "pass on": gettext_lazy("Question passed on"),
    "take back answer": gettext_lazy("Answer taken back"),
    "kick decision": gettext_lazy("Decision handed over by a person"),
    "remind": gettext_lazy("Reminded"),
}
"""What a person did, where "By a person" alone would say too little."""
TOLD = ("reason", "comment", "summary", "text", "error", "how", "action", "goal", UNREADABLE)
"""The keys of a row that are worth a line; the first that is there is shown."""
LONGEST_RAW = 8000
ANSWERS: Mapping[str, str] = {
    "approve": "approved",
    "reject": "rejected",
    "changes": "changes_requested",
}


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
    def raw(self) -> str:
        """All that the row holds, for whoever wants to know exactly."""
        text = json.dumps(self.row.data, ensure_ascii=False, indent=2)
        return text if len(text) <= LONGEST_RAW else f"{text[:LONGEST_RAW]}\n…"

    @property
    def actor(self) -> str:
        """Worker processes have long names that say nothing here; the journal's file keeps them."""
        return _("a worker") if self.row.actor.startswith("worker ") else self.row.actor


def entries(task: Task, rows: Iterable[Checkpoint]) -> list[Entry]:
    spec = funnel.spec_of(task)
    steps = {**spec.steps, **spec.undo} if spec else {}
    named = {name: str(step.label) for name, step in steps.items() if step.label}
    return [_entry(row, named.get(row.step, row.step)) for row in rows]


def one_per_resume(rows: Iterable[Checkpoint]) -> list[Checkpoint]:
    """Newest first, of the rows that a resume wrote at one moment only the one on how the task goes on."""
    resumes = groupby(rows, lambda row: (row.task_id, row.at) if row.kind == Kind.RESUME else row.pk)
    groups = (list(group) for _key, group in resumes)
    return [next((row for row in some if row.data.get("step") == "go_on"), some[0]) for some in groups]


def _entry(row: Checkpoint, step: str) -> Entry:
    tone, symbol = LOOKS.get(row.kind, ("mute", "circle"))
    title = str(row.get_kind_display())
    if row.kind == Kind.STATUS:
        to = str(row.data.get("to", ""))
        tone, symbol = looks.looks(to)
        title = _("Task: %(status)s") % {"status": looks.word(to)}
    if row.data.get("did"):
        title = str(DEEDS.get(str(row.data["did"]), title))
    if row.kind == Kind.DECIDED and (outcome := str(row.data.get("outcome") or "")):
        answer = ANSWERS.get(outcome, outcome)
        (tone, symbol), title = looks.looks(answer), _decided(row.data, str(looks.word(answer)))
    if row.kind == Kind.RESUME and (label := resumed.STEPS.get(str(row.data.get("step")))):
        found = resumed.told(str(row.data["step"]), row.data.get("found"))
        return Entry(row, tone, symbol, _("Resume: %(step)s") % {"step": label}, found, step)
    return Entry(row, tone, symbol, title, told(row.data), step)


def _decided(data: Mapping[str, Any], word: str) -> str:
    """A voice that does not decide yet says how many are needed."""
    if data.get("decides", True):
        return word
    told = {"word": word, "voices": data.get("voices"), "needed": data.get("needed")}
    return _("%(word)s: voice %(voices)s of %(needed)s") % told


def told(data: Mapping[str, Any]) -> str:
    """What a row says beyond its kind, in one line."""
    words = (data[name] for name in TOLD if data.get(name))  # "comment" may be the number of one
    said = next((str(one) for one in words if not isinstance(one, int)), "")
    return sentences.read(said) if said else _fact(data)


def _mail(data: Mapping[str, Any]) -> str:
    """Whether the person who started the task was told of its turn."""
    if not data.get("mail"):
        return ""
    words = {
        "sent": _("Mail to %(who)s: %(status)s"),
        "refused": _("Mail to %(who)s was refused by the mail server: %(status)s"),
    }
    about = {"who": data.get("to", ""), "status": looks.word(str(data.get("turn", "")))}
    return words.get(str(data["mail"]), "") % about


def _estimated(usd: str) -> str:
    """An attempt was given up, or reported after all."""
    if usd.startswith("-"):
        return _("the estimate of %(usd)s USD is taken back: the attempt has reported") % {"usd": usd[1:]}
    return _("%(usd)s USD are charged as an estimate: the attempt was lost") % {"usd": usd}


def _fact(data: Mapping[str, Any]) -> str:
    """The figures that rows of one kind carry."""
    return _mail(data) or _quiet(data) or _effect(data) or _amount(data) or _limit(data)


def _quiet(data: Mapping[str, Any]) -> str:
    """The steps of a resume that found nothing."""
    names = data.get("nothing_found")
    if not isinstance(names, list):
        return ""
    steps = (str(resumed.STEPS.get(str(name), name)) for name in names)
    return _("Nothing found: %(steps)s") % {"steps": ", ".join(steps)}


def _effect(data: Mapping[str, Any]) -> str:
    """What became of a step outside."""
    if "lease_owner" in data:
        return _("the lease of its worker ran out; what it did is looked up")
    external_id = str(data.get("external_id") or "")
    return _("found outside: %s") % external_id if external_id and data.get("found") else external_id


def _amount(data: Mapping[str, Any]) -> str:
    """How many items, and where it stops."""
    if data.get("finished") and "total" in data:
        return ngettext("%(n)d item in all", "%(n)d items in all", data["total"]) % {"n": data["total"]}
    if "added" in data:
        number = data["added"]
        words = ngettext("%(n)d item read", "%(n)d items read", number)
        if data.get("did"):
            words = ngettext("%(n)d item added", "%(n)d items added", number)
        return words % {"n": number}
    if data.get("did") == "stop after":
        return _stop(data)
    return ""


def _stop(data: Mapping[str, Any]) -> str:
    if data.get("step"):
        return _("after the step %(step)s") % {"step": data["step"]}
    if number := data.get("items"):
        counted = number if isinstance(number, int) else 0  # a row of an imported journal may hold anything
        return ngettext("after %(n)s item", "after %(n)s items", counted) % {"n": number}
    return _("nowhere: it goes on to its end")


def _limit(data: Mapping[str, Any]) -> str:
    if data.get("estimated_usd"):
        return _estimated(str(data["estimated_usd"]))
    if data.get("warning"):
        return _("%(percent)s %% of the budget is used") % {"percent": data["warning"]}
    if data.get("reached"):
        return _("the next step does not fit into the budget")
    return _("limit %(usd)s USD") % {"usd": data["limit_usd"]} if data.get("limit_usd") else ""
