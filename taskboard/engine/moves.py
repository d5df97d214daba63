"""What an ending makes of its step: the move, and the journal row that goes with it."""

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction

from taskboard import artifacts, workflow
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.engine import goback, outage, retry
from taskboard.engine.claim import Claimed, is_mine
from taskboard.engine.endings import WHATEVER, Ending, Finished, MustAsk, NotKnown, TryAgain
from taskboard.engine.results import class_of
from taskboard.engine.running import RunningStep
from taskboard.lifecycle import StepMove
from taskboard.models import Kind, Step, StepStatus
from taskboard.outcomes import Done, GiveUp, GoBack, Skip

S = StepStatus
WAIT_FOR_WRITES = (timedelta(seconds=5), timedelta(hours=1))
"""It is asked anew, at its price, so the pauses grow from the one to the other."""
UNASKED: dict[str, Any] = {"action": None, "action_sha256": "", "reserved_micro": 0}


@dataclass(slots=True)
class Note:
    """The journal row of a move, written once the move has succeeded."""

    kind: Kind
    data: dict[str, Any]


Decided = tuple[StepMove, Note | None]
"""A question has no row here: who opens it writes one."""


def decide(change: Change, claimed: Claimed, ending: Ending) -> Decided:
    """The move of a claimed step for this ending."""
    match ending:
        case Finished():
            return _done(change, claimed, ending)
        case TryAgain():
            return _again(change, claimed, ending)
        case NotKnown():
            return _unknown(claimed.step, ending)
        case MustAsk():
            return StepMove(claimed.step, S.WAITING_APPROVAL, dict(UNASKED)), None
        case Skip(reason):
            return _skip(claimed.step, reason)
        case GoBack():
            return _go_back(change, claimed, ending)
        case GiveUp(reason):
            return _give_up(claimed.step, reason, "GiveUp")
    raise TypeError(f"{type(ending).__name__} moves no step.")


def _done(change: Change, claimed: Claimed, ending: Finished) -> Decided:
    done, step = ending.accepted.done, claimed.step
    if (done.commit or done.artifacts or claimed.spec.on_done) and is_mine(step):
        try:
            keep(change, claimed, done)
        except WHATEVER as error:  # the workflow's own change of our database failed: nothing of it is kept
            if outage.lost(error):
                raise
            reason = clean_text(f"Its change here failed: {error}", 2000)
            if claimed.spec.writes:
                return _unknown(step, NotKnown(f"Done outside, but: {reason}", done.external_id))
            return _again(change, claimed, TryAgain(reason, class_of(error)))
    how = ending.verified.how if ending.verified else claimed.spec.unverified
    fields = {
        "external_id": done.external_id, "summary": done.summary, "outputs": done.outputs or None, "error": "",
        "error_class": "", "executed_at": ending.accepted.at, "verified_at": ending.verified_at, "verified_how": how,
        "checked_at": ending.accepted.at, "reserved_micro": 0, "failures": 0,
    }  # fmt: skip
    told = {
        "summary": done.summary,
        "external_id": done.external_id,
        "verified": how,
        "found": ending.accepted.found,
        "effect_key": claimed.effect_key,
    }
    return StepMove(step, S.DONE, fields), _note(Kind.RESULT, S.DONE, **told)


def keep(change: Change, claimed: Claimed, done: Done) -> None:
    """The step's own changes of our database, however its outcome was found out; all of them or none."""
    with transaction.atomic():
        if done.commit is not None:
            done.commit()
        if claimed.spec.on_done is not None:
            owner = workflow.get(change.task.workflow).owner
            claimed.spec.on_done(owner, RunningStep(change.task, claimed), done)
        artifacts.add(change, done.artifacts)  # type: ignore[arg-type]  # stored by execute


def _again(change: Change, claimed: Claimed, ending: TryAgain) -> Decided:
    step = claimed.step
    failures = step.failures + (1 if ending.counts else 0)
    pause: timedelta | None = retry.bounded(ending.after)
    if ending.counts:
        pause = retry.pause(claimed.spec.retry, failures, random.random(), ending.after)  # noqa: S311
    if pause is None:
        return _give_up(step, f"{ending.reason} (tried {failures} times)", ending.error_class)
    due = change.now + pause
    fields = {
        "error": ending.reason, "error_class": ending.error_class, "due_at": due, "failures": failures,
        "reserved_micro": 0,
    }  # fmt: skip
    told = {"reason": ending.reason, "due_at": due.isoformat(), "failures": failures}
    return StepMove(step, S.PENDING, fields), _note(Kind.RETRY, S.PENDING, **told)


def _skip(step: Step, reason: str) -> Decided:
    fields = {"summary": reason, "reserved_micro": 0}
    return StepMove(step, S.SKIPPED, fields), _note(Kind.SKIPPED, S.SKIPPED, reason=reason)


def _unknown(step: Step, ending: NotKnown) -> Decided:
    fields = {
        "error": ending.reason, "error_class": ending.error_class, "reserved_micro": 0,
        "external_id": ending.external_id or step.external_id,
    }  # fmt: skip
    told = {"reason": ending.reason, "external_id": ending.external_id}
    return StepMove(step, S.UNKNOWN, fields), _note(Kind.UNKNOWN, S.UNKNOWN, **told)


def _give_up(step: Step, reason: str, error_class: str) -> Decided:
    fields = {
        "error": reason, "error_class": error_class, "failures": step.failures + 1, "reserved_micro": 0,
    }  # fmt: skip
    return StepMove(step, S.FAILED, fields), _note(Kind.FAILURE, S.FAILED, reason=reason)


def _go_back(change: Change, claimed: Claimed, ending: GoBack) -> Decided:
    step, item = claimed.step, claimed.item
    if goback.must_wait(change, step, ending.to):
        reason = f"A write beside it has to end before it can go back: {ending.reason}"
        after = retry.growing(*WAIT_FOR_WRITES, step.attempt)
        return _again(change, claimed, TryAgain(reason, "GoBack", after, counts=False))
    too_often = goback.is_too_often(change, item)
    told = {"back_to": ending.to, "reason": ending.reason, "go_backs": item.go_backs + 1}
    if too_often:
        error = f"Went back {item.go_backs} times already: {ending.reason}"
        fields = {"error": error, "error_class": "GoBack", "reserved_micro": 0}
        return StepMove(step, S.BLOCKED, fields), _note(Kind.GO_BACK, S.BLOCKED, **told)
    fields = {"summary": ending.reason, "reserved_micro": 0}
    return StepMove(step, S.SUPERSEDED, fields), _note(Kind.GO_BACK, S.SUPERSEDED, **told)


def _note(kind: Kind, to: StepStatus, **told: Any) -> Note:
    return Note(kind, {"to": to} | {name: value for name, value in told.items() if value})
