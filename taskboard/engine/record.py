"""Write down how a batch of attempts ended; fenced by attempt and lease."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from taskboard import budget, lifecycle, rows
from taskboard.change import Change
from taskboard.engine import advance, doubles, effects, goback, late, moves, onward, retry
from taskboard.engine.claim import Claimed, give_back, is_mine, start
from taskboard.engine.endings import (
    Accepted,
    Finished,
    LookAgain,
    MayStart,
    MustAsk,
    Report,
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
            late.write(change, one.claimed, one.report)
        else:
            one.claimed.step.executed_at, one.claimed.step.external_id = value[3:5]
            _charge(change, one)
            found = {"found": True} if one.report.ending.found else {}  # type: ignore[union-attr]
            _write(change, one, Note(Kind.EXECUTED, {"external_id": value[4]} | found))


def _finish(change: Change, ended: Sequence[Ended]) -> list[Ended]:
    """Moves of all that ended; returns those whose move was not lost to another worker."""
    ended = _settle_doubles(change, ended)
    prepared = [
        (one, *moves.decide(change, one.claimed, one.report.ending), one.claimed.step.reserved_micro)
        for one in ended
    ]
    lost = {id(m) for m in lifecycle.move_steps(change, [move for _, move, _, _ in prepared], strict=False)}
    moved = []
    for one, move, note, reserved in prepared:
        if id(move) in lost:
            late.write(change, one.claimed, one.report)
            continue
        if reserved:
            change.reserve(-reserved)
        _charge(change, one)
        if note is not None:
            _write(change, one, note)
        _after(change, one)
        moved.append(one)
    return moved


def _settle_doubles(change: Change, ended: Sequence[Ended]) -> Sequence[Ended]:
    """What an earlier attempt of a step had done all the same is compared with how it ends now."""
    doubted = doubles.doubted(change, [(one.claimed, one.report.ending) for one in ended])
    return [_settle_double(change, one, doubted) for one in ended] if doubted else ended


def _settle_double(change: Change, one: Ended, doubted: Collection[int]) -> Ended:
    item = one.claimed.item
    if (0 if item.is_whole_task else item.pk) not in doubted or not is_mine(one.claimed.step):
        return one
    ending = doubles.settle(change, one.claimed, one.report.ending)
    return replace(one, report=replace(one.report, ending=ending))


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


def _write(change: Change, one: Ended, note: Note) -> None:
    step = one.claimed.step
    data = {**note.data, "notes": one.report.notes} if one.report.notes else note.data
    change.record(note.kind, item=one.claimed.item.key, step=step.name, attempt=step.attempt, data=data)
    if data.get("to") == S.DONE:
        change.set(last_completed_at=change.now)
