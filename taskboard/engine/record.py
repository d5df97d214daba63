"""Write down how a batch of attempts ended; fenced by attempt and lease."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from taskboard import budget, lifecycle, rows
from taskboard.change import Change
from taskboard.engine import advance, effects, goback, moves, onward, retry
from taskboard.engine.claim import Claimed, give_back, start
from taskboard.engine.endings import (
    Accepted,
    Ending,
    Finished,
    LookAgain,
    MayStart,
    MustAsk,
    NotKnown,
    Report,
    is_own_word,
)
from taskboard.engine.moves import Note
from taskboard.gates import gate
from taskboard.models import Kind, Step, StepStatus
from taskboard.outcomes import GoBack

S = StepStatus


@dataclass(slots=True)
class Ended:
    """A claimed step and the report of its attempt."""

    claimed: Claimed
    report: Report
    lost: bool = False
    """It was accepted outside, when the step was another one's already."""


def record(
    change: Change, ended: Sequence[Ended], owner: str, *, may_start: bool = False, room: int = 0
) -> list[Claimed]:
    """Write all of them; returns what runs next, with its intents written: prepared steps that may start, and up to
    `room` of the steps that were opened just now."""
    _accept(change, [one for one in ended if isinstance(one.report.ending, Accepted)])
    moved = _finish(
        change, [one for one in ended if not isinstance(one.report.ending, (Accepted, MayStart, LookAgain))]
    )
    _look_again(change, [one for one in ended if isinstance(one.report.ending, LookAgain)])
    prepared = [one.claimed for one in ended if isinstance(one.report.ending, MayStart)]
    begun = _start(change, _still_held(prepared), owner, may_start=may_start)
    if moved:
        found = advance.look(change, {one.claimed.item.pk for one in moved})
        items = [one.claimed.item for one in moved]
        begun += onward.begin(change, found.opened, items, owner, room - len(begun))
        advance.write(change, found)
    return begun


def _start(change: Change, prepared: list[Claimed], owner: str, *, may_start: bool) -> list[Claimed]:
    if may_start:
        return start(change, prepared, owner)
    give_back(change, prepared)
    return []


def _accept(change: Change, ended: Sequence[Ended]) -> None:
    """The executed rows: what the outside world answered, before it is verified."""
    values = []
    for one in ended:
        accepted: Accepted = one.report.ending  # type: ignore[assignment]
        step, done = one.claimed.step, accepted.done
        answer = (done.external_id, done.summary, done.outputs or None)
        values.append((step.pk, step.attempt, step.lease_owner, accepted.at, *answer))
    columns = ("executed_at", "external_id", "summary", "outputs")
    written = set(
        rows.update(Step, ("id", "attempt", "lease_owner"), columns, values, where="status = 'started'")
    )
    for one, value in zip(ended, values, strict=True):
        one.lost = one.claimed.step.pk not in written
        if one.lost:
            _late(change, one)
        else:
            one.claimed.step.executed_at, one.claimed.step.external_id = value[3:5]
            _charge(change, one)
            found = {"found": True} if one.report.ending.found else {}  # type: ignore[union-attr]
            _write(change, one, Note(Kind.EXECUTED, {"external_id": value[4]} | found))


def _finish(change: Change, ended: Sequence[Ended]) -> list[Ended]:
    """Moves of all that ended; returns those whose move was not lost to another worker."""
    prepared = [
        (one, *moves.decide(change, one.claimed, one.report.ending), one.claimed.step.reserved_micro)
        for one in ended
    ]
    lost = {id(m) for m in lifecycle.move_steps(change, [move for _, move, _, _ in prepared], strict=False)}
    moved = []
    for one, move, note, reserved in prepared:
        if id(move) in lost:
            _late(change, one)
            continue
        if reserved:
            change.reserve(-reserved)
        _charge(change, one)
        if note is not None:
            _write(change, one, note)
        _after(change, one)
        moved.append(one)
    return moved


def _charge(change: Change, one: Ended) -> None:
    ending = one.report.ending
    accepted = ending.accepted if isinstance(ending, Finished) else ending
    if isinstance(accepted, Accepted) and accepted.done.usage:
        budget.charge(change, one.claimed.step, one.claimed.item, accepted.done.usage, "result")


def _after(change: Change, one: Ended) -> None:
    """What goes with a move in the same transaction."""
    ending, step = one.report.ending, one.claimed.step
    effects.follow(change, one.claimed, ending)
    if isinstance(ending, MustAsk):
        if ending.void:
            gate().void(change, step, ending.void)
        gate().ask(change, step, one.claimed.item.key, ending.ask)
    if isinstance(ending, GoBack) and step.status == S.SUPERSEDED:
        goback.supersede(change, one.claimed.item, ending.to, ending.reason)
        goback.count(one.claimed.item)


def _look_again(change: Change, ended: Sequence[Ended]) -> None:
    """Still started, held by nobody: the sweep looks it up again when the lease that stands for the pause ends."""
    for one in ended:
        ending: LookAgain = one.report.ending  # type: ignore[assignment]
        step = one.claimed.step
        until = change.now + min(max(ending.after, timedelta(seconds=1)), retry.LONGEST)
        mine = Step.objects.filter(
            pk=step.pk, status=S.STARTED, attempt=step.attempt, lease_owner=step.lease_owner
        )
        if mine.update(lease_owner="", lease_until=until):
            told = {"again_at": until.isoformat(), "reason": ending.reason}
            failures = {"failures": ending.failures} if ending.failures else {}
            _write(change, one, Note(Kind.RECONCILE, told | failures))


def _still_held(claimed: Sequence[Claimed]) -> list[Claimed]:
    """Prepared steps that nobody cancelled, took over or moved meanwhile."""
    if not claimed:
        return []
    ids = [one.step.pk for one in claimed]
    held = dict(Step.objects.filter(pk__in=ids, status=S.PENDING).values_list("pk", "lease_owner"))
    return [one for one in claimed if held.get(one.step.pk) == one.step.lease_owner]


def _late(change: Change, one: Ended) -> None:
    """Another worker holds the step by now, or it was cancelled: no status changes, what is known is kept for
    the clean-up. A cancelled step then shows what it did all the same."""
    ending = one.report.ending
    data: dict[str, Any] = {"ending": type(ending).__name__}
    if isinstance(ending, Accepted):
        ending = Finished(ending)
    if isinstance(ending, Finished):
        happened = {"external_id": ending.accepted.done.external_id, "summary": ending.accepted.done.summary}
        cancelled = Step.objects.filter(
            pk=one.claimed.step.pk, status=S.CANCELLED, attempt=one.claimed.step.attempt
        )
        cancelled.update(executed_at=ending.accepted.at, **happened)
        data |= happened
    elif isinstance(ending, NotKnown):
        data |= {"external_id": ending.external_id, "reason": ending.reason}
    if one.claimed.spec.effect_key and _was_cancelled(one.claimed.step):
        effects.follow(change, one.claimed, ending)
    _charge_late(change, one, ending)
    _write(change, one, Note(Kind.LATE, data))


def _was_cancelled(step: Step) -> bool:
    return Step.objects.filter(pk=step.pk, status=S.CANCELLED, attempt=step.attempt).exists()


def _charge_late(change: Change, one: Ended, ending: Ending) -> None:
    """The attempt was settled by an estimate when it was given up; its own word takes the place of that."""
    usage = ending.accepted.done.usage if isinstance(ending, Finished) else None
    last = is_own_word(ending)
    budget.charge_late(change, one.claimed.step, one.claimed.item, usage, "result", last=last)


def _write(change: Change, one: Ended, note: Note) -> None:
    step = one.claimed.step
    data = {**note.data, "notes": one.report.notes} if one.report.notes else note.data
    change.record(note.kind, item=one.claimed.item.key, step=step.name, attempt=step.attempt, data=data)
    if data.get("to") == S.DONE:
        change.set(last_completed_at=change.now)
