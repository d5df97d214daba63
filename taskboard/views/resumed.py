"""The last resume of a task: its eight steps in order, each with what it found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext
from django_stubs_ext import StrOrPromise

from taskboard import looks
from taskboard.joining import clauses
from taskboard.models import Checkpoint, Kind, Task

Found = Mapping[str, Any]
STEPS: Mapping[str, StrOrPromise] = {
    "load_state": gettext_lazy("Read what is written down"),
    "check_and_count": gettext_lazy("Check whether it may go on"),
    "list_started": gettext_lazy("List what was begun and not finished"),
    "ask_outside": gettext_lazy("Ask outside what became of it"),
    "collect_decisions": gettext_lazy("Collect decisions"),
    "refresh_facts": gettext_lazy("Read again what has gone stale"),
    "write_brief": gettext_lazy("Write the brief"),
    "go_on": gettext_lazy("Go on"),
}
ENDINGS: Mapping[str, StrOrPromise] = {
    "Finished": gettext_lazy("%d had happened"),
    "TryAgain": gettext_lazy("%d to be tried again"),
    "NotKnown": gettext_lazy("%d cannot be found out"),
    "LookAgain": gettext_lazy("%d to be looked up again later"),
}


@dataclass(frozen=True)
class Line:
    """One of the eight."""

    number: int
    label: StrOrPromise
    found: str


@dataclass(frozen=True)
class Resumed:
    """The last resume."""

    at: datetime
    actor: str
    count: int
    lines: list[Line]


def last(task: Task) -> Resumed | None:
    """The rows that the last resume left; they were written at one moment."""
    if not task.restart_count:
        return None
    rows = list(Checkpoint.objects.filter(task=task, kind=Kind.RESUME).order_by("-ordinal")[: len(STEPS) + 1])
    if not rows:
        return None
    newest = rows[0]
    found = {str(row.data.get("step")): row.data.get("found") for row in rows if row.at == newest.at}
    lines = [
        Line(number, label, told(name, found.get(name)))
        for number, (name, label) in enumerate(STEPS.items(), 1)
    ]
    return Resumed(newest.at, newest.actor, task.restart_count, lines)


def told(step: str, found: Any) -> str:
    """What a step found, in words; an empty text if it found nothing."""
    if not isinstance(found, Mapping) or not found:
        return ""
    try:
        return WORDS[step](found)
    except (TypeError, ValueError):  # a row of an imported journal may hold anything
        return ""


def _state(found: Found) -> str:
    status = looks.word(str(found.get("status", "")))
    last = found.get("last_checkpoint")
    return _("%(status)s; last: %(last)s") % {"status": status, "last": last} if last else str(status)


def _check(found: Found) -> str:
    parts = [_("Restart %s") % found["restart_count"]] if "restart_count" in found else []
    if found.get("released"):
        parts.append(_("released by a person"))
    if found.get("workflow_version"):
        parts.append(_("the workflow is another version now"))
    return ", ".join(parts)


def _started(found: Found) -> str:
    number = int(found.get("count", 0))
    names = ", ".join(map(str, list(found.get("started", ()))[:3]))
    return ngettext("%(number)d step: %(names)s", "%(number)d steps: %(names)s", number) % {
        "number": number,
        "names": names + (" …" if number > 3 else ""),
    }


def _asked(found: Found) -> str:
    return ", ".join(
        str(ENDINGS[name]) % number if name in ENDINGS else f"{name}: {number}"
        for name, number in found.items()
    )


def _decisions(found: Found) -> str:
    parts = []
    if number := int(found.get("decisions", 0)):
        parts.append(ngettext("%d decision", "%d decisions", number) % number)
    if number := int(found.get("expired", 0)):
        parts.append(ngettext("%d question expired", "%d questions expired", number) % number)
    return ", ".join(parts)


def _facts(found: Found) -> str:
    number = int(found.get("count", 0))
    again = ngettext("%d fact is read again", "%d facts are read again", number) % number if number else ""
    if "budget_left_usd" not in found:
        return again
    left = _("left of the budget: %s USD") % found["budget_left_usd"]
    return clauses([again or pgettext("found by a step of the resume", "nothing"), left])


def _brief(found: Found) -> str:
    return filesizeformat(found.get("bytes", 0))


def _on(found: Found) -> str:
    number = int(found.get("claimable", 0))
    return ngettext("%d step can be begun", "%d steps can be begun", number) % number


WORDS: Mapping[str, Callable[[Found], str]] = {
    "load_state": _state, "check_and_count": _check, "list_started": _started, "ask_outside": _asked,
    "collect_decisions": _decisions, "refresh_facts": _facts, "write_brief": _brief, "go_on": _on,
}  # fmt: skip
