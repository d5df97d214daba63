"""Steps left 'started' by a worker that is gone: ask the outside world, then finish them or make them claimable."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Q

from taskboard import budget, hints, lifecycle, sentences, workflow
from taskboard.change import Change
from taskboard.engine import (
    adopt,
    advance,
    claim,
    effects,
    execute,
    hung,
    lookup,
    owner,
    record,
    strikes,
    time_limit,
)
from taskboard.engine.claim import Claimed, is_mine
from taskboard.engine.clock import CLOCK
from taskboard.engine.endings import Accepted, Finished, LookAgain, Report, TryAgain
from taskboard.engine.record import Ended
from taskboard.leases import lease
from taskboard.lifecycle import StepMove
from taskboard.models import Checkpoint, Item, Kind, Step, StepStatus, Task
from taskboard.outcomes import Done
from taskboard.workflow import WorkflowSpec

WHY = sentences.WORKER_LOST()
PAUSED_LOOK = timedelta(hours=1)
"""How often the lost writes of a task that a deploy has paused are looked up, until they are found."""


def abandoned(now: datetime, task_pk: int | None = None) -> list[Step]:
    """Started steps that nobody works on: their lease is over, or its holder is surely dead."""
    started = Step.objects.filter(status=StepStatus.STARTED, task__held=False)
    if task_pk is not None:
        started = started.filter(task=task_pk)
    owners = set(started.exclude(lease_owner="").values_list("lease_owner", flat=True).distinct())
    dead = [name for name in owners if owner.is_dead(name)]
    over = Q(lease_until__lt=now)
    if CLOCK.is_in_doubt():  # those who live renew their leases in the meantime
        over &= Q(lease_owner="")
    return list(started.filter(over | Q(lease_until=None) | Q(lease_owner__in=dead)).order_by("id"))


def tasks_with_abandoned(now: datetime) -> list[int]:
    """The tasks that have such steps."""
    return sorted({step.task_id for step in abandoned(now)})


def lost_a_worker(task_pk: int, now: datetime) -> bool:
    """Whether some of them were in a worker's hands; the others only wait to be looked up again."""
    return any(step.lease_owner for step in abandoned(now, task_pk))


def look_again(task: Task, actor: str) -> None:
    """Ask once more about steps whose outcome was still open outside."""
    with lifecycle.changing(task.pk, actor) as change:
        taken = take(change)
    settle(task, taken, actor)
    hints.soon("taskboard.run_task", task.pk)


def look_only(task: Task, names: Collection[str], actor: str) -> int:
    """While nobody has said whether the task goes on with a changed workflow: find what lost writes of these names
    did outside, and write only that down. What follows from it is the accepted workflow's to say. Returns how many
    were found."""
    with lifecycle.changing(task.pk, actor) as change:
        taken = take(change, names)
    spec = workflow.get(task.workflow)
    found, silent = 0, set[str]()
    for number, one in enumerate(taken):
        keep = partial(_keep, task, taken[number:], actor)
        keep()
        ask = partial(lookup.look_up, spec.owner, task, one, _why(one))
        found += _note_what_is_there(task, one, _bounded(task, one, keep, silent, ask), actor)
    return found


def ask_at_once(change: Change) -> None:
    """What waits to be looked up again need not wait for its time."""
    waiting = Step.objects.filter(task=change.task, status=StepStatus.STARTED, lease_owner="")
    waiting.update(lease_until=None)


def take(change: Change, names: Collection[str] | None = None) -> list[Claimed]:
    """Fence the abandoned steps of the locked task off from their former holder, with a lease of our own: all, or
    those of these names whose effect was not found yet."""
    spec = workflow.get(change.task.workflow)
    steps = abandoned(change.now, change.task.pk)
    if names is None:
        _leave_to_people(change, [step for step in steps if spec.known(step.name) is None])
    else:
        steps = [step for step in steps if step.name in names and not step.was_accepted]
    taken = claim.with_items([(step, known) for step in steps if (known := spec.known(step.name))])
    me = owner.one_of_mine()  # the former worker may be a thread of this very process
    for one in taken:
        _fence(change, one, me)
    return taken


def settle(task: Task, taken: Sequence[Claimed], actor: str) -> dict[str, int]:
    """Ask what became of each step and write it down; returns how many ended in which way."""
    spec = workflow.get(task.workflow)
    endings: dict[str, int] = {}
    silent: set[str] = set()
    for number, one in enumerate(taken):
        keep = partial(_keep, task, taken[number:], actor)
        keep()
        report = _settle_one(task, spec, one, actor, partial(_bounded, task, one, keep, silent))
        name = type(report.ending).__name__
        endings[name] = endings.get(name, 0) + 1
    return endings


def _keep(task: Task, left: Sequence[Claimed], actor: str) -> None:
    """Asking takes its time: what is still to be asked stays ours."""
    with lifecycle.changing(task.pk, actor) as change:
        claim.extend(change, [one.step.pk for one in left], left[0].step.lease_owner)
        if change.task.resuming_until:
            change.set(resuming_until=change.now + lease())


def _settle_one(
    task: Task,
    spec: WorkflowSpec,
    one: Claimed,
    actor: str,
    bounded: Callable[[Callable[[], Report]], Report],
) -> Report:
    if (accepted := _told_by_its_row(task, spec, one)) is None:
        report = bounded(partial(_ask, task, spec, one))
        is_lost = _write(task, one, report, actor)
        if is_lost or not isinstance(report.ending, Accepted):
            return report
        accepted = report.ending
    report = bounded(partial(execute.prove, spec.owner, task, one, accepted))
    _write(task, one, report, actor)
    return report


def _bounded(
    task: Task, one: Claimed, keep: Callable[[], None], silent: set[str], ask: Callable[[], Report]
) -> Report:
    """Where one such question was not answered in time, the others of its kind are not asked in this round."""
    told = None if one.step.name in silent else time_limit.bounded(ask, keep)
    if told is not None:
        return told
    silent.add(one.step.name)
    return lookup.failed(task, one, f"{_why(one)} Whoever was asked about it did not answer in time.")


def _told_by_its_row(task: Task, spec: WorkflowSpec, one: Claimed) -> Accepted | None:
    """The executed row says that it was accepted, with its answer: that is all still to be verified. What another
    step had done is adopted anew, since it can be seen under that one's key alone."""
    step = one.step
    if one.spec.verify is None or not step.was_accepted or step.executed_at is None:
        return None
    if adopt.had_not_begun(spec.owner, task, one):
        return None
    return Accepted(Done(step.summary, step.outputs or {}, step.external_id), step.executed_at, found=True)


def _ask(task: Task, spec: WorkflowSpec, one: Claimed) -> Report:
    if not one.spec.writes:
        return Report(TryAgain(_why(one), "Interrupted", counts=False))
    if one.died and not task.look_first and adopt.had_not_begun(spec.owner, task, one):
        return Report(TryAgain(f"{_why(one)} Its call had not begun.", "Interrupted", counts=False))
    report = lookup.look_up(spec.owner, task, one, _why(one) if one.died else sentences.LOOKED_UP())
    if isinstance(report.ending, TryAgain) and one.died:
        report.ending = replace(report.ending, counts=False)
    return report


def _write(task: Task, one: Claimed, report: Report, actor: str) -> bool:
    """Returns whether what was accepted came too late: the step is another one's by now."""
    ended = Ended(one, report)
    with lifecycle.changing(task.pk, actor) as change:
        ending = report.ending
        if (
            isinstance(ending, TryAgain)
            and one.died
            and one.step.deaths >= strikes.MOST_DEATHS
            and is_mine(one.step)
        ):
            _block(change, one)
        else:
            record.record(change, [ended], owner.me())
    return ended.lost


def _note_what_is_there(task: Task, one: Claimed, report: Report, actor: str) -> bool:
    ending = report.ending
    with lifecycle.changing(task.pk, actor) as change:
        if isinstance(ending, Finished | Accepted):
            accepted = ending.accepted if isinstance(ending, Finished) else ending
            record.record(change, [Ended(one, Report(accepted))], owner.me())
        reason = (
            f"{_why(one)} It was looked up; a person says first whether the task goes on with the changed"
            " workflow."
        )
        record.record(change, [Ended(one, Report(LookAgain(PAUSED_LOOK, reason)))], owner.me())
    return isinstance(ending, Finished | Accepted)


def _leave_to_people(change: Change, steps: Sequence[Step]) -> None:
    """A deploy removed them from the workflow while they were in the air: nobody here can look them up."""
    error = "The workflow no longer has this step, so nobody here can look it up."
    items = Item.objects.in_bulk([step.item_id for step in steps])
    for step in steps:
        to = StepStatus.UNKNOWN if step.idempotency_key else StepStatus.BLOCKED
        item = items[step.item_id]
        budget.settle_lost(change, step, item)
        lifecycle.move_steps(change, [StepMove(step, to, {"error": error})])
        kind = Kind.UNKNOWN if step.idempotency_key else Kind.FAILURE
        data = {"to": to, "reason": error}
        change.record(kind, item=item.key, step=step.name, attempt=step.attempt, data=data)
    if steps:
        advance.follow(change, list(items))


def _block(change: Change, one: Claimed) -> None:
    error, error_class = f"It killed its worker {one.step.deaths} times.", strikes.KILLS_WORKER
    if one.why:
        error, error_class = f"{one.why} It was tried {one.step.deaths} times.", hung.TIME_LIMIT
    fields = {"error": error, "error_class": error_class, "reserved_micro": 0}
    reserved = one.step.reserved_micro
    lifecycle.move_steps(change, [StepMove(one.step, StepStatus.BLOCKED, fields)])
    if one.spec.effect_key:
        effects.release([one.step.pk])
    if reserved:
        change.reserve(-reserved)
    data = {"to": StepStatus.BLOCKED, "reason": error}
    change.record(Kind.FAILURE, item=one.item.key, step=one.step.name, attempt=one.step.attempt, data=data)
    advance.follow(change, [one.item.pk])


def _fence(change: Change, one: Claimed, me: str) -> None:
    step, until, former = one.step, change.now + lease(), one.step.lease_owner
    told = None if former else _interruption(one)
    one.died, one.why = bool(former or told), told.data.get("reason", "") if told else ""
    step.lease_owner, step.lease_until = me, until
    step.deaths += 1 if former else 0
    Step.objects.filter(pk=step.pk).update(lease_owner=me, lease_until=until, deaths=step.deaths)
    if former:
        data = {"lease_owner": former, "deaths": step.deaths}
        change.record(Kind.INTERRUPTED, item=one.item.key, step=step.name, attempt=step.attempt, data=data)
        budget.settle_lost(change, step, one.item)


def _interruption(one: Claimed) -> Checkpoint | None:
    """How this attempt lost its worker before it was looked up for the first time, if it did."""
    told = Checkpoint.objects.filter(task=one.step.task_id, item_key=one.item.key, step=one.step.name)
    return told.filter(attempt=one.step.attempt, kind=Kind.INTERRUPTED).order_by("ordinal").first()


def _why(one: Claimed) -> str:
    return one.why or WHY
