"""Ask the outside world what became of a write."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard import sentences
from taskboard.engine import outage, retry
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Ending, LookAgain, NotKnown, Report, TryAgain
from taskboard.engine.results import WHATEVER, pause, report, text, told
from taskboard.engine.running import RunningStep
from taskboard.models import Checkpoint, Kind, Task
from taskboard.outcomes import Absent, CannotTell, Done, FindAnswer, Found, StillRunning
from taskboard.workflow import REPEATABLE, StepSpec

SOON, SELDOM = timedelta(seconds=30), timedelta(hours=1)
"""The pauses between look-ups that fail grow from the one to the other."""
MOST_FAILURES = 30
"""After so many in a row, which takes about a day, a person is asked."""


def look_up(owner: Any, task: Task, claimed: Claimed, why: str) -> Report:
    """Ask the outside world what became of a write that was begun."""
    try:
        answer = find(claimed.spec, owner, RunningStep(task, claimed))
    except WHATEVER as error:  # the outside world may be down just now
        return failed(task, claimed, f"{why} {sentences.LOOK_UP_FAILED(what=told(error))}")
    if not isinstance(answer, Found):
        return Report(_without_effect(claimed, answer, why))
    try:
        done = Done(answer.summary, answer.outputs, answer.external_id)
        return report(task, claimed, done, found=True)
    except WHATEVER as error:
        return Report(
            NotKnown(f"{why} {sentences.FOUND_BUT(what=told(error))}", text(answer.external_id, 300))
        )


def failed(task: Task, claimed: Claimed, why: str) -> Report:
    """The outside world said nothing: it is asked again, less and less often, and in the end a person is."""
    failures = outage.patiently(lambda: _failures(task, claimed)) + 1
    if failures > MOST_FAILURES:
        return Report(NotKnown(f"{why} (asked {failures} times)"))
    return Report(LookAgain(retry.growing(SOON, SELDOM, failures), why, failures))


def _failures(task: Task, claimed: Claimed) -> int:
    """How often it was asked about this attempt in vain, since there was an answer."""
    told = Checkpoint.objects.filter(task=task, item_key=claimed.item.key, step=claimed.step.name)
    last = told.filter(attempt=claimed.step.attempt, kind=Kind.RECONCILE).order_by("ordinal").last()
    return int(last.data.get("failures", 0)) if last else 0


def find(spec: StepSpec, owner: Any, ctx: RunningStep) -> FindAnswer:
    """The step's own `find`, or what its declaration says instead of one."""
    if spec.finds is not None:
        return spec.finds(owner, ctx)  # type: ignore[no-any-return]
    return Absent() if spec.find == REPEATABLE else CannotTell(sentences.NO_LOOK_UP())


def _without_effect(claimed: Claimed, answer: FindAnswer, why: str) -> Ending:
    if isinstance(answer, StillRunning):
        after = pause(answer.after) or StillRunning().after
        return LookAgain(after, f"{why} {sentences.STILL_OUTSIDE()}")
    if isinstance(answer, CannotTell):
        return NotKnown(f"{why} {text(answer.reason)}".strip())
    if not isinstance(answer, Absent):  # an answer that says nothing never counts as an absence
        return NotKnown(f"{why} find answered with {type(answer).__name__}.")
    begun = claimed.step.started_at
    if begun and timezone.now() < begun + claimed.spec.settle_after:
        return LookAgain(begun + claimed.spec.settle_after - timezone.now(), f"{why} {sentences.NOT_YET()}")
    return TryAgain(f"{why} {sentences.DID_NOT_HAPPEN()}", "Absent")
