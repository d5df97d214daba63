"""Before the first call of a write with an effect key: is its effect there already, and who has it in hand?"""

import hashlib
from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard.change import Change
from taskboard.engine import effects, lookup, outage
from taskboard.engine.claim import Claimed, is_mine
from taskboard.engine.effects import Stand
from taskboard.engine.endings import Ending, NotKnown, Report, TryAgain
from taskboard.engine.results import WHATEVER, failed, pause, report, text, told
from taskboard.engine.running import RunningStep
from taskboard.models import Effect, Task
from taskboard.outcomes import Absent, CannotTell, Done, FindAnswer, Found, StillRunning

LONGEST_KEY = 300
BUSY = (timedelta(seconds=3), timedelta(minutes=1))
"""How long to wait for a step that works on the same effect: grows with each attempt, up to the second one."""
UNKNOWN = (timedelta(minutes=1), timedelta(hours=1))
HELD = "EffectHeld"
"""The error class of a step that sent nothing, because another one may have had its effect."""


def before_call(owner: Any, task: Task, claimed: Claimed) -> Report | None:
    """None: the effect is reserved for this step, the call may go out. Otherwise how the attempt ends without."""
    try:
        claimed.effect_key = key_of(owner, task, claimed)
        return _look(owner, task, claimed) if claimed.effect_key else None
    except WHATEVER as error:  # surely nothing went out
        return Report(failed(error))


def had_not_begun(owner: Any, task: Task, claimed: Claimed) -> bool:
    """Whether a step that lost its worker had not come to its call: its effect has a name, and that was never
    reserved for it. Asked once the former worker is fenced off."""
    if claimed.spec.effect_key is None or effects.is_own(claimed.step):
        return False
    try:
        return bool(key_of(owner, task, claimed))
    except WHATEVER:  # its name cannot be worked out (any more)
        return False


def key_of(owner: Any, task: Task, claimed: Claimed) -> str:
    """The effect key of a step as it is stored; empty: this one has no effect to name."""
    made = claimed.spec.effect_key(owner, RunningStep(task, claimed)) if claimed.spec.effect_key else ""
    if not isinstance(made, str):
        raise TypeError(f"effect_key answers with text, not {type(made).__name__}.")
    key = text(made, len(made)).strip()
    if len(key) <= LONGEST_KEY:
        return key
    return f"{key[: LONGEST_KEY - 17]}~{hashlib.sha256(key.encode()).hexdigest()[:16]}"


def _look(owner: Any, task: Task, claimed: Claimed, absent: str = "") -> Report | None:
    def reserve(change: Change) -> tuple[Stand, Effect] | None:
        mine = is_mine(claimed.step)
        return effects.reserve(change, claimed, claimed.effect_key, absent) if mine else None

    reserved = outage.changed(task.pk, f"step {claimed.step.name}", reserve)
    if reserved is None:
        return Report(TryAgain("Another worker has taken over.", counts=False))
    stand, effect = reserved
    match stand:
        case Stand.OURS:
            claimed.made_by = ""
            return None
        case Stand.THERE:
            return _adopted(task, claimed, effect, _done(effect))
        case Stand.BUSY:
            return Report(
                _wait(claimed, BUSY, f"It waits for {effects.origin(effect)}, which does the same.")
            )
        case Stand.UNKNOWN:
            why = f"Nobody knows yet whether {effects.origin(effect)} did the same: settle that one first."
            return Report(_wait(claimed, UNKNOWN, why))
        case Stand.DOUBTFUL:
            return _ask_outside(owner, task, claimed, effect)


def _done(effect: Effect) -> Done:
    outputs = effect.outputs or (effect.step and effect.step.outputs) or {}
    return Done(f"Already there, from {effects.origin(effect)}.", outputs, effect.external_id)


def _adopted(task: Task, claimed: Claimed, effect: Effect, done: Done) -> Report:
    claimed.made_by = effects.made_by(effect)
    return report(task, claimed, done, found=True)


def _wait(claimed: Claimed, between: tuple[timedelta, timedelta], why: str) -> Ending:
    """Not counted as a failure: nothing was tried."""
    shortest, longest = between
    return TryAgain(why, HELD, min(shortest * min(claimed.step.attempt, 1000), longest), counts=False)


def _ask_outside(owner: Any, task: Task, claimed: Claimed, effect: Effect) -> Report | None:
    """Whoever had it in hand has ended, and it may have happened: ask for it under its key."""
    claimed.made_by = effects.made_by(effect)
    try:
        answer = lookup.find(claimed.spec, owner, RunningStep(task, claimed))
    except WHATEVER as error:
        why = f"{effects.origin(effect)} may have done the same, and looking it up failed: {told(error)}"
        return Report(TryAgain(why, HELD, timedelta(seconds=30), counts=False))
    if isinstance(answer, Found):
        done = Done(f"Found, from {effects.origin(effect)}.", answer.outputs, answer.external_id)
        return _adopted(task, claimed, effect, done)
    if isinstance(answer, Absent) and not (settles := _settles_in(claimed, effect)):
        return _look(owner, task, claimed, absent=claimed.made_by)
    if isinstance(answer, (Absent, StillRunning)):
        after = settles if isinstance(answer, Absent) else pause(answer.after)
        why = f"{effects.origin(effect)} may have done the same; it is not settled outside yet."
        return Report(TryAgain(why, HELD, after or StillRunning().after, counts=False))
    return Report(_ask_a_person(effect, answer))


def _settles_in(claimed: Claimed, effect: Effect) -> timedelta | None:
    """How long it takes until the absence of what another step began counts."""
    begun = effect.step.started_at if effect.step else None
    left = begun + claimed.spec.settle_after - timezone.now() if begun else timedelta(0)
    return left if left > timedelta(0) else None


def _ask_a_person(effect: Effect, answer: FindAnswer) -> NotKnown:
    reason = text(answer.reason) if isinstance(answer, CannotTell) else f"find answered with {answer!r:.100}."
    why = (
        f"{effects.origin(effect)} may have done the same and was given up; nothing was sent from here."
        f" Find out whether it happened, and say so here. {reason}"
    )
    return NotKnown(why, error_class=HELD)
