"""Sentences made of counters, for people who do not know the engine."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard import attention, looks, sentences, summary
from taskboard.gates import Settled
from taskboard.joining import flowing
from taskboard.joining import sentence as sentence_of
from taskboard.models import ItemStatus, Task, TaskStatus

Refusals = Mapping[int, Settled]


def why(task: Task, refusals: Refusals | None = None) -> str:
    """One sentence on where the task stands and why. Whoever shows many tasks asks once who `refusals` are from."""
    if task.held:
        return _("Imported and held: nothing runs until someone presses Resume.")
    if task.status == TaskStatus.BLOCKED and task.out_of_budget:
        known = summary.refusals([task]) if refusals is None else refusals
        sentence = summary.why_short(known.get(task.pk))
    else:
        sentence = _BY_STATUS[task.status](task)
    if task.status == TaskStatus.PAUSED:
        return sentence
    reason = _("Reason: %(reason)s") % {"reason": sentences.read(task.reason)}
    return flowing([sentence, reason]) if task.reason else sentence


def at_a_glance(task: Task, now: datetime) -> str:
    """The same with what else one must not overlook: failures, where it is told to stop, what is tried again."""
    told = (why(task), _troubles(task), _stop(task), _retried(task, now))
    return flowing(told)


def tried_again(number: int) -> str:
    told = ngettext("%(count)d step is being tried again.", "%(count)d steps are being tried again.", number)
    return told % {"count": number} if number else ""


def _troubles(task: Task) -> str:
    """What failed or needs a person, where the sentence of the status has not named it."""
    if task.status in _TELL_ASIDES and not task.held:
        return ""
    over = task.status == TaskStatus.CANCELLED
    told = over or (task.status == TaskStatus.BLOCKED and not task.out_of_budget and not task.held)
    return _asides(task, _TROUBLES[:1] if told else _TROUBLES)


def _stop(task: Task) -> str:
    if task.is_finished or not task.stop_after:
        return ""
    stop = {"name": task.stop_after.get("by", ""), "step": task.stop_after.get("step", "")}
    if stop["step"]:
        return _("It stops after the step %(step)s, as %(name)s said: no later step is begun.") % stop
    number = task.stop_after.get("items", 0)
    told = ngettext(
        "It stops after %(number)d item, as %(name)s said: no other one is begun.",
        "It stops after %(number)d items, as %(name)s said: no others are begun.",
        number,
    )
    return told % {**stop, "number": number}


def _retried(task: Task, now: datetime) -> str:
    found = attention.retried_of(task, now)
    if not found.due_at:
        return ""
    soon = _("The next one in about %(time)s.") % {"time": looks.duration(found.due_at - now)}
    return flowing([tried_again(found.count), soon])


def _pending(task: Task) -> str:
    if task.items_read:
        return _("It waits in the queue for its turn.")
    found = ngettext("%(count)d item so far", "%(count)d items so far", task.total) % {"count": task.total}
    return _("Its source is being read: %(found)s.") % {"found": found}


def _running(task: Task) -> str:
    return flowing([_progress(task), _asides(task), frozen(task)])


def frozen(task: Task) -> str:
    """What it waits for until a person thaws it."""
    if not task.frozen_systems or task.held or task.status not in (TaskStatus.RUNNING, TaskStatus.WAITING):
        return ""
    return _("Steps wait until this is thawed: %(systems)s.") % {"systems": task.frozen_systems}


def _waiting(task: Task) -> str:
    asked = task.steps_in("waiting_approval")
    if task.frozen_systems:
        return flowing([frozen(task), _open_questions(asked)])
    if not asked:
        return _("A step is tried again later; nothing else can be done until then.")
    return _open_questions(asked)


def _open_questions(asked: int) -> str:
    told = ngettext(
        "Waits for a person: %(count)d question is open.",
        "Waits for people: %(count)d questions are open.",
        asked,
    )
    return told % {"count": asked} if asked else ""


def _paused(task: Task) -> str:
    flying = task.steps_in("started")
    if not flying and task.reason:
        reason = sentences.read(task.reason)
        reason = reason if reason.endswith((".", "。")) else sentence_of([reason])
        return flowing([reason, _("Nothing is begun until someone presses Resume.")])
    if not flying:
        return _("Paused by a person: nothing is begun until someone presses Resume.")
    told = ngettext(
        "Pausing: %(count)d step that has begun still finishes.",
        "Pausing: %(count)d steps that have begun still finish.",
        flying,
    )
    return told % {"count": flying}


def _blocked(task: Task) -> str:
    stuck = task.item_counts.get(ItemStatus.BLOCKED, 0)
    told = ngettext("%(count)d item needs a person.", "%(count)d items need a person.", stuck)
    return told % {"count": stuck}


def _completed(task: Task) -> str:
    if not task.total:
        return _("There was nothing to do: its source holds no items.")
    told = ngettext("Its one item is settled.", "All %(total)d items are settled.", task.total)
    return flowing([told % {"total": task.total}, _asides(task)])


def _failed(task: Task) -> str:
    return _("It could not go on.")


def _cancelled(task: Task) -> str:
    sentence = _("Cancelled by a person, for good.")
    return flowing([sentence, _progress(task)]) if task.total else sentence


_BY_STATUS: Mapping[str, Callable[[Task], str]] = {
    TaskStatus.PENDING: _pending, TaskStatus.RUNNING: _running, TaskStatus.WAITING: _waiting,
    TaskStatus.PAUSED: _paused, TaskStatus.BLOCKED: _blocked, TaskStatus.COMPLETED: _completed,
    TaskStatus.FAILED: _failed, TaskStatus.CANCELLED: _cancelled,
}  # fmt: skip
_TELL_ASIDES = (TaskStatus.RUNNING, TaskStatus.COMPLETED)
_TROUBLES = (ItemStatus.FAILED, ItemStatus.BLOCKED)


def _progress(task: Task) -> str:
    done = task.item_counts.get(ItemStatus.DONE, 0)
    told = ngettext(
        "%(done)d of %(total)d item is done.", "%(done)d of %(total)d items are done.", task.total
    )
    return told % {"done": done, "total": task.total}


_ASIDES: Mapping[str, Callable[[int], str]] = {
    ItemStatus.WAITING_APPROVAL: lambda n: ngettext("%d waits for approval", "%d wait for approval", n),
    ItemStatus.FAILED: lambda n: ngettext("%d failed", "%d failed", n),
    ItemStatus.REJECTED: lambda n: ngettext("%d was rejected", "%d were rejected", n),
    ItemStatus.BLOCKED: lambda n: ngettext("%d needs a person", "%d need a person", n),
}


def _asides(task: Task, some: Collection[str] = tuple(_ASIDES)) -> str:
    parts = [
        words(number) % number
        for status, words in _ASIDES.items()
        if status in some and (number := task.item_counts.get(status, 0))
    ]
    return sentence_of(parts)
