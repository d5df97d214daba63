"""Run one step outside any transaction, and find out how it ended."""

import logging
import time
from dataclasses import replace
from functools import partial
from typing import Any

from django.utils import timezone

from taskboard import frozen, sentences
from taskboard.engine import adopt, look_first, outage
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Accepted, Finished, MayStart, MustAsk, NotKnown, Report, TryAgain
from taskboard.engine.lookup import failed as failed_look_up
from taskboard.engine.lookup import look_up
from taskboard.engine.results import WHATEVER, failed, pause, report, text, told
from taskboard.engine.running import RunningStep
from taskboard.gates import gate
from taskboard.models import Task
from taskboard.money import to_micro
from taskboard.outcomes import Ask, Done, NotSent, NotVerified, Verified
from taskboard.seal import sealable, sha256_of
from taskboard.workflow import REPEATABLE, StepSpec

log = logging.getLogger(__name__)


def prepare(owner: Any, task: Task, claimed: Claimed) -> Report:
    """Ask the step's `approval` whether a person must agree, and whether an earlier yes still fits."""
    ctx = RunningStep(task, claimed)
    ctx.approved = None
    try:
        ask = _asked(claimed.spec, owner, ctx)
    except WHATEVER as error:  # nothing was done yet
        return Report(failed(error))
    if ask is None:
        return Report(MayStart())
    seal = outage.patiently(partial(gate().seal, claimed.step))
    if seal is None:
        return Report(MustAsk(ask))
    if seal.asked_sha256 != sha256_of(ask.payload):
        return Report(MustAsk(ask, void=sentences.DIFFERS()))
    if not seal.action_sha256 == claimed.step.action_sha256 == sha256_of(claimed.step.action):
        return Report(MustAsk(ask, void="The stored action is not the approved one."))
    return Report(MayStart())


def execute(owner: Any, task: Task, claimed: Claimed) -> Report:
    """Call the step's function once, unless its effect is there already, another step has it in hand, or its system
    was frozen a moment ago. A write that was accepted answers Accepted, to be written down before `prove` is called."""
    if claimed.spec.effect_key is not None and (settled := adopt.before_call(owner, task, claimed)):
        return settled
    if task.look_first and claimed.spec.writes and (settled := look_first.before_call(owner, task, claimed)):
        return settled
    if why := outage.patiently(partial(frozen.why_not, claimed.spec)):
        return Report(TryAgain(why, frozen.FROZEN, counts=False))
    if time.monotonic() > claimed.held_until:  # asleep on its way here: another worker may have it
        return Report(TryAgain("Its lease was over before its call began.", "LeaseLost", counts=False))
    return _call(owner, task, claimed)


def prove(owner: Any, task: Task, claimed: Claimed, accepted: Accepted) -> Report:
    """Ask `verify` whether the effect can be seen; called when the acceptance is durable."""
    if claimed.spec.verify is None:
        return Report(Finished(accepted))
    try:
        proof = claimed.spec.verify(owner, RunningStep(task, claimed), accepted.done)
    except WHATEVER as error:  # accepted, but nobody can say now whether it can be seen
        if claimed.made_by:
            return Report(TryAgain(sentences.NOT_CHECKED(what=told(error))))
        return failed_look_up(task, claimed, sentences.NOT_VERIFIABLE(what=told(error)))
    if isinstance(proof, Verified):
        return Report(Finished(accepted, Verified(text(proof.how)), timezone.now()))
    return Report(_not_verified(accepted.done, proof))


def _call(owner: Any, task: Task, claimed: Claimed) -> Report:
    try:
        outcome = claimed.spec.call(owner, RunningStep(task, claimed))
    except NotSent as error:
        return Report(TryAgain(told(error), "NotSent", pause(error.retry_after)))
    except WHATEVER as error:
        log.info("step raised", exc_info=error, extra={"task": task.public_id, "step": claimed.step.name})
        if not claimed.spec.writes or claimed.spec.find == REPEATABLE:
            return Report(failed(error))
        return look_up(owner, task, claimed, why=sentences.ANSWER_LOST(what=told(error)))
    try:
        return report(task, claimed, outcome)
    except WHATEVER as error:  # an answer that nobody can use; what the call did stays done
        return (
            look_up(owner, task, claimed, why=told(error)) if claimed.spec.writes else Report(failed(error))
        )


def _not_verified(done: Done, proof: Any) -> NotKnown:
    reason = (
        proof.reason if isinstance(proof, NotVerified) else f"verify answered with {type(proof).__name__}"
    )
    return NotKnown(sentences.NOT_VERIFIED(what=text(reason)), done.external_id)


def _asked(spec: StepSpec, owner: Any, ctx: RunningStep) -> Ask | None:
    """The question with its payload as it reads after every trip through a database."""
    ask = spec.approval(owner, ctx) if spec.approval else None
    if ask is None:
        return None
    if not isinstance(ask, Ask):
        raise TypeError(f"approval answers with Ask or None, not {type(ask).__name__}.")
    if ask.amount_usd is not None:
        to_micro(ask.amount_usd, "amount_usd")
    return replace(ask, payload=sealable(ask.payload or {}))
