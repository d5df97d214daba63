"""After a restore: what was done since the backup is not in the rows, so a write first asks whether it is there."""

from datetime import timedelta
from typing import Any

from taskboard.engine import lookup
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import NotKnown, Report, TryAgain
from taskboard.engine.results import WHATEVER, pause, report, text, told
from taskboard.engine.running import RunningStep
from taskboard.models import Checkpoint, Kind, Task
from taskboard.models.task import LookFirst
from taskboard.outcomes import Absent, CannotTell, Done, FindAnswer, Found, StillRunning
from taskboard.workflow import REPEATABLE

AFTER = timedelta(seconds=30)
WHY = "It may have been done after the backup from which this was restored; nothing was sent from here."
RESTORED = "Restored"
"""The error class of a step that nobody but a person can find out about, since it was restored."""


def before_call(owner: Any, task: Task, claimed: Claimed) -> Report | None:
    """None: it is surely not there, or may be done again; the call may go out."""
    if claimed.spec.find == REPEATABLE and claimed.spec.finds is None:
        return None
    try:
        answer = lookup.find(claimed.spec, owner, RunningStep(task, claimed))
    except WHATEVER as error:  # surely nothing went out
        return _later(
            f"It is looked up first, since this was restored, and that failed: {told(error)}", AFTER
        )
    if isinstance(answer, Found):
        return _found(task, claimed, answer)
    if isinstance(answer, Absent):
        return None
    if isinstance(answer, StillRunning):
        return _later("It is still being worked on outside.", pause(answer.after) or StillRunning().after)
    if task.look_first == LookFirst.SEND or _was_denied(task, claimed):
        return None
    return _ask_a_person(answer)


def _found(task: Task, claimed: Claimed, answer: Found) -> Report:
    try:
        done = Done(answer.summary or "It was done before the restore.", answer.outputs, answer.external_id)
        return report(task, claimed, done, found=True)
    except WHATEVER as error:
        return Report(NotKnown(f"It was found, but: {told(error)}", text(answer.external_id, 300)))


def _later(why: str, after: timedelta) -> Report:
    return Report(TryAgain(why, RESTORED, after, counts=False))


def _ask_a_person(answer: FindAnswer) -> Report:
    reason = text(answer.reason) if isinstance(answer, CannotTell) else f"find answered with {answer!r:.100}."
    why = f"{WHY} Find out whether it happened, and say so here. {reason}"
    return Report(NotKnown(why.strip(), error_class=RESTORED))


def _was_denied(task: Task, claimed: Claimed) -> bool:
    """A person said of the attempt before this one that it did not happen."""
    said = Checkpoint.objects.filter(task=task, item_key=claimed.item.key, step=claimed.step.name)
    before = said.filter(kind=Kind.PERSON, attempt=claimed.step.attempt - 1)
    return any(row.data.get("did") == "it did not happen" for row in before)
