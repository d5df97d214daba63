"""Steps left 'started' by a worker that is gone: ask the outside world, then finish them or make them claimable."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db.models import Q

from taskboard import budget, hints, lifecycle, workflow
from taskboard.change import Change
from taskboard.engine import advance, claim, effects, execute, lookup, owner, record
from taskboard.engine.claim import Claimed, is_mine
from taskboard.engine.clock import CLOCK
from taskboard.engine.endings import Accepted, Report, TryAgain
from taskboard.engine.record import Ended
from taskboard.lifecycle import StepMove
from taskboard.models import Kind, Step, StepStatus, Task
from taskboard.workflow import WorkflowSpec

MOST_DEATHS = 3
"""A step whose worker died so often is not tried again by itself."""
WHY = "The worker was lost."


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


def take(change: Change) -> list[Claimed]:
    """Fence the abandoned steps of the locked task off from their former holder, with a lease of our own."""
    spec = workflow.get(change.task.workflow)
    steps = abandoned(change.now, change.task.pk)
    taken = claim.with_items([(step, known) for step in steps if (known := spec.known(step.name))])
    for one in taken:
        _fence(change, one)
    return taken


def settle(task: Task, taken: Sequence[Claimed], actor: str) -> dict[str, int]:
    """Ask what became of each step and write it down; returns how many ended in which way."""
    spec = workflow.get(task.workflow)
    endings: dict[str, int] = {}
    for number, one in enumerate(taken):
        _keep(task, taken[number:], actor)
        report = _settle_one(task, spec, one, actor)
        name = type(report.ending).__name__
        endings[name] = endings.get(name, 0) + 1
    return endings


def _keep(task: Task, left: Sequence[Claimed], actor: str) -> None:
    """Asking takes its time: what is still to be asked stays ours."""
    with lifecycle.changing(task.pk, actor) as change:
        claim.extend(change, [one.step.pk for one in left], owner.me())
        if change.task.resuming_until:
            change.set(resuming_until=change.now + claim.lease())


def _settle_one(task: Task, spec: WorkflowSpec, one: Claimed, actor: str) -> Report:
    report = _ask(task, spec, one)
    _write(task, one, report, actor)
    if isinstance(report.ending, Accepted):
        report = execute.prove(spec.owner, task, one, report.ending)
        _write(task, one, report, actor)
    return report


def _ask(task: Task, spec: WorkflowSpec, one: Claimed) -> Report:
    if not one.spec.writes:
        return Report(TryAgain(WHY, "Interrupted", counts=False))
    report = lookup.look_up(spec.owner, task, one, WHY if one.died else "It was looked up again.")
    if isinstance(report.ending, TryAgain) and one.died:
        report.ending = replace(report.ending, counts=False)
    return report


def _write(task: Task, one: Claimed, report: Report, actor: str) -> None:
    with lifecycle.changing(task.pk, actor) as change:
        ending = report.ending
        if isinstance(ending, TryAgain) and one.died and one.step.deaths >= MOST_DEATHS and is_mine(one.step):
            _block(change, one)
        else:
            record.record(change, [Ended(one, report)], owner.me())


def _block(change: Change, one: Claimed) -> None:
    error = f"It killed its worker {one.step.deaths} times."
    fields = {"error": error, "error_class": "KillsWorker", "reserved_micro": 0}
    reserved = one.step.reserved_micro
    lifecycle.move_steps(change, [StepMove(one.step, StepStatus.BLOCKED, fields)])
    if one.spec.effect_key:
        effects.release([one.step.pk])
    if reserved:
        change.reserve(-reserved)
    data = {"to": StepStatus.BLOCKED, "reason": error}
    change.record(Kind.FAILURE, item=one.item.key, step=one.step.name, attempt=one.step.attempt, data=data)
    advance.follow(change, [one.item.pk])


def _fence(change: Change, one: Claimed) -> None:
    step, until = one.step, change.now + claim.lease()
    died = one.died = bool(step.lease_owner)
    Step.objects.filter(pk=step.pk).update(
        lease_owner=owner.me(), lease_until=until, deaths=step.deaths + (1 if died else 0)
    )
    former, step.lease_owner, step.lease_until = step.lease_owner, owner.me(), until
    step.deaths += 1 if died else 0
    if died:
        data = {"lease_owner": former, "deaths": step.deaths}
        change.record(Kind.INTERRUPTED, item=one.item.key, step=step.name, attempt=step.attempt, data=data)
        budget.settle_lost(change, step, one.item)
