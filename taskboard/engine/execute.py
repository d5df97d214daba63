"""Run one step outside any transaction, and find out how it ended."""

import json
import logging
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard import artifacts, budget, workflow
from taskboard.cleaning import Cleaner
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import (
    Accepted,
    Ending,
    Finished,
    LookAgain,
    MayStart,
    MustAsk,
    NotKnown,
    Report,
    TryAgain,
)
from taskboard.engine.running import RunningStep
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.models import Task
from taskboard.money import to_micro
from taskboard.outcomes import (
    Absent,
    Ask,
    CannotTell,
    Done,
    FindAnswer,
    Found,
    GiveUp,
    GoBack,
    NewArtifact,
    NotSent,
    NotVerified,
    Retry,
    Skip,
    StillRunning,
    Usage,
    Verified,
)
from taskboard.seal import sealable, sha256_of
from taskboard.workflow import REPEATABLE, StepSpec

log = logging.getLogger(__name__)

LARGEST_OUTPUTS = 4096
WHATEVER = (Exception, SystemExit)
"""What the code of a workflow may raise."""


def prepare(owner: Any, task: Task, claimed: Claimed) -> Report:
    """Ask the step's `approval` whether a person must agree, and whether an earlier yes still fits."""
    ctx = RunningStep(task, claimed)
    ctx.approved = None
    try:
        ask = _asked(claimed.spec, owner, ctx)
    except WHATEVER as error:  # nothing was done yet
        return Report(_failed(error))
    if ask is None:
        return Report(MayStart())
    seal = gate().seal(claimed.step)
    if seal is None:
        return Report(MustAsk(ask))
    if seal.asked_sha256 != sha256_of(ask.payload):
        return Report(MustAsk(ask, void="What would be done now differs from what was approved."))
    if not seal.action_sha256 == claimed.step.action_sha256 == sha256_of(claimed.step.action):
        return Report(MustAsk(ask, void="The stored action is not the approved one."))
    return Report(MayStart())


def execute(owner: Any, task: Task, claimed: Claimed) -> Report:
    """Call the step's function once. A write that was accepted answers Accepted, to be written down before
    `prove` is called."""
    ctx = RunningStep(task, claimed)
    try:
        outcome = claimed.spec.call(owner, ctx)
    except NotSent as error:
        return Report(TryAgain(_told(error), "NotSent", _pause(error.retry_after)))
    except WHATEVER as error:
        log.info("step raised", exc_info=error, extra={"task": task.public_id, "step": claimed.step.name})
        if not claimed.spec.writes or claimed.spec.find == REPEATABLE:
            return Report(_failed(error))
        return look_up(owner, task, claimed, why=f"The answer was lost: {_told(error)}")
    try:
        return _report(task, claimed, outcome)
    except WHATEVER as error:  # an answer that nobody can use; what the call did stays done
        return (
            look_up(owner, task, claimed, why=_told(error)) if claimed.spec.writes else Report(_failed(error))
        )


def look_up(owner: Any, task: Task, claimed: Claimed, why: str) -> Report:
    """Ask the outside world what became of a write that was begun."""
    try:
        answer = _find(claimed.spec, owner, RunningStep(task, claimed))
    except WHATEVER as error:  # the outside world may be down just now
        return Report(LookAgain(timedelta(seconds=30), f"{why} Looking it up failed: {_told(error)}"))
    if not isinstance(answer, Found):
        return Report(_without_effect(claimed, answer, why))
    try:
        done = Done(answer.summary, answer.outputs, answer.external_id)
        return _report(task, claimed, done, found=True)
    except WHATEVER as error:
        return Report(NotKnown(f"{why} It was found, but: {_told(error)}", _text(answer.external_id, 300)))


def prove(owner: Any, task: Task, claimed: Claimed, accepted: Accepted) -> Report:
    """Ask `verify` whether the effect can be seen; called when the acceptance is durable."""
    if claimed.spec.verify is None:
        return Report(Finished(accepted))
    try:
        proof = claimed.spec.verify(owner, RunningStep(task, claimed), accepted.done)
    except WHATEVER as error:  # accepted, but nobody can say now whether it can be seen
        proof = NotVerified(_told(error))
    if isinstance(proof, Verified):
        return Report(Finished(accepted, Verified(_text(proof.how)), timezone.now()))
    reason = (
        proof.reason if isinstance(proof, NotVerified) else f"verify answered with {type(proof).__name__}"
    )
    return Report(NotKnown(f"Accepted, but not verified: {_text(reason)}", accepted.done.external_id))


def _asked(spec: StepSpec, owner: Any, ctx: RunningStep) -> Ask | None:
    """The question with its payload as it reads after every trip through a database."""
    ask = spec.approval(owner, ctx) if spec.approval else None
    if ask is None:
        return None
    if not isinstance(ask, Ask):
        raise TypeError(f"approval answers with Ask or None, not {type(ask).__name__}.")
    if ask.amount_usd is not None:
        to_micro(ask.amount_usd, "amount_usd")
    return replace(ask, payload=sealable(ask.payload))


def _report(task: Task, claimed: Claimed, outcome: Any, found: bool = False) -> Report:
    if isinstance(outcome, Done):
        cleaner = Cleaner()
        accepted = Accepted(_fit(cleaner, task, claimed, outcome), timezone.now(), found)
        ending: Ending = accepted if claimed.spec.verify else Finished(accepted)
        return Report(ending, cleaner.notes)
    if isinstance(outcome, Retry):
        return Report(TryAgain(_text(outcome.reason), "Retry", _pause(outcome.after)))
    if isinstance(outcome, GoBack):
        _check_way_back(task, claimed, outcome.to)
    if isinstance(outcome, (GoBack, GiveUp, Skip)):
        return Report(replace(outcome, reason=_text(outcome.reason)))
    raise TypeError(f"A step answers with Done, Retry, GoBack, GiveUp or Skip, not {type(outcome).__name__}.")


def _check_way_back(task: Task, claimed: Claimed, to: str) -> None:
    spec = workflow.get(task.workflow)
    ways = spec.task_steps if claimed.spec.whole_task else spec.item_steps
    if to not in [step.name for step in ways]:
        raise BadInput(f"There is no step {to!r} to go back to.", "to")


def _pause(after: Any) -> timedelta | None:
    return after if isinstance(after, timedelta) else None


def _find(spec: StepSpec, owner: Any, ctx: RunningStep) -> FindAnswer:
    if spec.finds is not None:
        return spec.finds(owner, ctx)  # type: ignore[no-any-return]
    return Absent() if spec.find == REPEATABLE else CannotTell("This write cannot be looked up.")


def _without_effect(claimed: Claimed, answer: FindAnswer, why: str) -> Ending:
    if isinstance(answer, StillRunning):
        after = _pause(answer.after) or StillRunning().after
        return LookAgain(after, f"{why} It is still being worked on outside.")
    if isinstance(answer, CannotTell):
        return NotKnown(f"{why} {_text(answer.reason)}".strip())
    if not isinstance(answer, Absent):  # an answer that says nothing never counts as an absence
        return NotKnown(f"{why} find answered with {type(answer).__name__}.")
    begun = claimed.step.started_at
    if begun and timezone.now() < begun + claimed.spec.settle_after:
        return LookAgain(begun + claimed.spec.settle_after - timezone.now(), f"{why} Not there yet.")
    return TryAgain(f"{why} It is surely not there.", "Absent")


def _failed(error: BaseException) -> Ending:
    return TryAgain(_told(error), type(error).__name__)


def _fit(cleaner: Cleaner, task: Task, claimed: Claimed, done: Done) -> Done:
    """The result as both databases can keep it; outputs that are too large go to an artifact."""
    outputs = cleaner.json(dict(done.outputs or {}))
    text = json.dumps(outputs, ensure_ascii=False)
    stored = [_store(task, claimed, new) for new in done.artifacts]
    if len(text.encode()) > LARGEST_OUTPUTS:
        name = f"{claimed.item.key}.{claimed.step.name}.outputs.json"
        stored.append(
            _store(task, claimed, NewArtifact(name, content=text.encode(), media_type="application/json"))
        )
        cleaner.notes.append(f"outputs over {LARGEST_OUTPUTS} bytes went to the artifact {name}")
        outputs = {"artifact": name}
    return replace(
        done, summary=cleaner.text(done.summary, 2000), outputs=outputs, artifacts=stored,
        external_id=cleaner.text(done.external_id or "", 300), usage=_usage(cleaner, done.usage),
    )  # fmt: skip


def _usage(cleaner: Cleaner, usage: Usage | None) -> Usage | None:
    """A cost that is no amount is refused with its field's name; the work stays done."""
    try:
        return usage and budget.checked(usage)
    except BadInput as error:
        cleaner.notes.append(error.message)
        return None


def _store(task: Task, claimed: Claimed, new: NewArtifact) -> Any:
    item = None if claimed.item.is_whole_task else claimed.item
    return artifacts.store(task, new, item=item, step=claimed.step.name)


def _told(error: BaseException) -> str:
    return _text(str(error) or type(error).__name__)


def _text(value: Any, longest: int = 2000) -> str:
    return Cleaner().text(value, longest)
