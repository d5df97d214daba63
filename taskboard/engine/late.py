"""Reports that come when their step is in other hands already: written down, and taken where nobody did it again."""

from dataclasses import replace
from typing import Any

from taskboard import budget, lifecycle
from taskboard.change import Change
from taskboard.engine import advance, doubles, effects, moves
from taskboard.engine.claim import Claimed
from taskboard.engine.effects import Stand
from taskboard.engine.endings import Accepted, Ending, Finished, NotKnown, Report, is_own_word
from taskboard.lifecycle import StepMove
from taskboard.models import Kind, Step, StepStatus

S = StepStatus


def write(change: Change, claimed: Claimed, report: Report) -> None:
    """Another worker holds the step by now, or nobody does, or it was cancelled: what is known is kept for the
    clean-up. A cancelled step then shows what it did all the same."""
    ending = Finished(report.ending) if isinstance(report.ending, Accepted) else report.ending
    now = Step.objects.get(pk=claimed.step.pk)
    data: dict[str, Any] = {"ending": type(report.ending).__name__}
    if isinstance(ending, Finished):
        done = ending.accepted.done
        data |= {"external_id": done.external_id, "summary": done.summary}
    elif isinstance(ending, NotKnown):
        data |= {"external_id": ending.external_id, "reason": ending.reason}
    _charge(change, claimed, ending)
    notes = {"notes": report.notes} if report.notes else {}
    _record(change, claimed, Kind.LATE, data | notes)
    if now.status == S.CANCELLED and now.attempt == claimed.step.attempt:
        _cancelled(change, claimed, ending)
    elif isinstance(ending, Finished) and doubles.may_be(claimed):
        _happened(change, claimed, report.ending, now)


def _cancelled(change: Change, claimed: Claimed, ending: Ending) -> None:
    if isinstance(ending, Finished):
        _show(claimed.step, ending)
    if claimed.spec.effect_key:
        effects.follow(change, claimed, ending)


def _show(step: Step, ending: Finished) -> None:
    done, at = ending.accepted.done, ending.accepted.at
    fields = {"executed_at": at, "external_id": done.external_id, "summary": done.summary}
    Step.objects.filter(pk=step.pk).update(**fields)


def _charge(change: Change, claimed: Claimed, ending: Ending) -> None:
    """The attempt was settled by an estimate when it was given up; its own word takes the place of that."""
    usage = ending.accepted.done.usage if isinstance(ending, Finished) else None
    last = is_own_word(ending)
    budget.charge_late(change, claimed.step, claimed.item, usage, "result", last=last)


def _happened(change: Change, claimed: Claimed, ending: Ending, now: Step) -> None:
    """The change is there. It may be there twice, unless the step shows that very one, or has done nothing since."""
    finished = Finished(ending) if isinstance(ending, Accepted) else ending
    external_id = finished.accepted.done.external_id  # type: ignore[union-attr]
    is_last = now.attempt == claimed.step.attempt
    if _take(change, claimed, ending, now) or (external_id and external_id == now.external_id):
        return
    if is_last and now.was_accepted and not (external_id and now.external_id):
        return  # found by a look-up, where ids tell nothing
    if is_last and now.status == S.UNKNOWN:
        _show(now, finished)  # type: ignore[arg-type]
        return
    doubles.tell(change, claimed, now, external_id)


def _take(change: Change, claimed: Claimed, ending: Ending, now: Step) -> bool:
    """Nobody has the step in hand: what its attempt answers is the result, late as it is."""
    is_last = now.attempt == claimed.step.attempt
    waits = now.status == S.STARTED or (now.status == S.UNKNOWN and isinstance(ending, Finished))
    if now.lease_owner or not (now.status == S.PENDING or (is_last and waits)):
        return False
    one = replace(claimed, step=now)
    if claimed.effect_key and effects.reserve(change, one, claimed.effect_key)[0] is not Stand.OURS:
        return False
    if now.status == S.PENDING:
        fields = {
            "started_at": claimed.step.started_at,
            "lease_owner": "",
            "lease_until": None,
            "due_at": None,
        }
        lifecycle.move_steps(change, [StepMove(now, S.STARTED, fields)])
        _record(change, one, Kind.RECONCILE, {"to": S.STARTED, "reason": "Its answer came late, and counts."})
    if isinstance(ending, Accepted):
        _accept(change, one, ending)
    else:
        _finish(change, one, ending)
    advance.follow(change, [now.item_id])
    return True


def _accept(change: Change, one: Claimed, accepted: Accepted) -> None:
    """The sweep finds it, and asks for the proof."""
    done = accepted.done
    fields = {
        "executed_at": accepted.at, "external_id": done.external_id, "summary": done.summary,
        "outputs": done.outputs or None, "lease_until": change.now,
    }  # fmt: skip
    Step.objects.filter(pk=one.step.pk).update(**fields)
    _record(change, one, Kind.EXECUTED, {"external_id": done.external_id})


def _finish(change: Change, one: Claimed, ending: Ending) -> None:
    move, note = moves.decide(change, one, ending)
    lifecycle.move_steps(change, [move])
    effects.follow(change, one, ending)
    if note is not None:
        _record(change, one, note.kind, note.data)
    if one.step.status == S.DONE:
        change.set(last_completed_at=change.now)


def _record(change: Change, claimed: Claimed, kind: Kind, data: dict[str, Any]) -> None:
    step = claimed.step
    change.record(kind, item=claimed.item.key, step=step.name, attempt=step.attempt, data=data)
