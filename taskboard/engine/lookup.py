"""Ask the outside world what became of a write."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Ending, LookAgain, NotKnown, Report, TryAgain
from taskboard.engine.results import WHATEVER, pause, report, text, told
from taskboard.engine.running import RunningStep
from taskboard.models import Task
from taskboard.outcomes import Absent, CannotTell, Done, FindAnswer, Found, StillRunning
from taskboard.workflow import REPEATABLE, StepSpec


def look_up(owner: Any, task: Task, claimed: Claimed, why: str) -> Report:
    """Ask the outside world what became of a write that was begun."""
    try:
        answer = find(claimed.spec, owner, RunningStep(task, claimed))
    except WHATEVER as error:  # the outside world may be down just now
        return Report(LookAgain(timedelta(seconds=30), f"{why} Looking it up failed: {told(error)}"))
    if not isinstance(answer, Found):
        return Report(_without_effect(claimed, answer, why))
    try:
        done = Done(answer.summary, answer.outputs, answer.external_id)
        return report(task, claimed, done, found=True)
    except WHATEVER as error:
        return Report(NotKnown(f"{why} It was found, but: {told(error)}", text(answer.external_id, 300)))


def find(spec: StepSpec, owner: Any, ctx: RunningStep) -> FindAnswer:
    """The step's own `find`, or what its declaration says instead of one."""
    if spec.finds is not None:
        return spec.finds(owner, ctx)  # type: ignore[no-any-return]
    return Absent() if spec.find == REPEATABLE else CannotTell("This write cannot be looked up.")


def _without_effect(claimed: Claimed, answer: FindAnswer, why: str) -> Ending:
    if isinstance(answer, StillRunning):
        after = pause(answer.after) or StillRunning().after
        return LookAgain(after, f"{why} It is still being worked on outside.")
    if isinstance(answer, CannotTell):
        return NotKnown(f"{why} {text(answer.reason)}".strip())
    if not isinstance(answer, Absent):  # an answer that says nothing never counts as an absence
        return NotKnown(f"{why} find answered with {type(answer).__name__}.")
    begun = claimed.step.started_at
    if begun and timezone.now() < begun + claimed.spec.settle_after:
        return LookAgain(begun + claimed.spec.settle_after - timezone.now(), f"{why} Not there yet.")
    return TryAgain(f"{why} It is surely not there.", "Absent")
