"""The allowed moves, and the one writer of the status of tasks, items and steps."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from operator import attrgetter
from typing import Any, Protocol

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from taskboard import frozen, leases, rows, stop_point
from taskboard.change import Change
from taskboard.errors import NotFound, WrongState
from taskboard.models import Item, ItemStatus, Kind, Step, StepStatus, Task, TaskStatus
from taskboard.models.step import OPEN_STEPS
from taskboard.models.task import FINISHED_TASKS, SETTLED_ITEMS

T, I, S = TaskStatus, ItemStatus, StepStatus  # noqa: E741

_LIVE = {T.RUNNING, T.WAITING, T.BLOCKED, T.PAUSED, T.COMPLETED, T.FAILED, T.CANCELLED}
TASK_MOVES: Mapping[str, set[TaskStatus]] = {
    T.PENDING: {T.RUNNING, T.PAUSED, T.FAILED, T.CANCELLED},
    T.RUNNING: _LIVE - {T.RUNNING},
    T.WAITING: _LIVE - {T.WAITING},
    T.BLOCKED: _LIVE - {T.BLOCKED},
    T.PAUSED: {T.PENDING, T.RUNNING, T.CANCELLED},
    T.COMPLETED: {T.RUNNING, T.WAITING, T.BLOCKED},
    T.FAILED: {T.PENDING, T.RUNNING, T.WAITING, T.BLOCKED, T.COMPLETED},
    T.CANCELLED: set(),
}
_ENDS = set(SETTLED_ITEMS)
_ON_THE_WAY = {I.RUNNING, I.WAITING_APPROVAL, I.BLOCKED}
ITEM_MOVES: Mapping[str, set[ItemStatus]] = {
    I.PENDING: {I.RUNNING, I.WAITING_APPROVAL, I.BLOCKED, I.DONE, I.FAILED, I.SKIPPED, I.CANCELLED},
    I.RUNNING: (_ON_THE_WAY - {I.RUNNING}) | _ENDS,
    I.WAITING_APPROVAL: (_ON_THE_WAY - {I.WAITING_APPROVAL}) | _ENDS,
    I.BLOCKED: (_ON_THE_WAY - {I.BLOCKED}) | _ENDS,
    I.DONE: {I.RUNNING},
    I.FAILED: {I.RUNNING, I.DONE, I.REJECTED, I.SKIPPED},
    I.REJECTED: {I.RUNNING},
    I.SKIPPED: {I.RUNNING},
    I.CANCELLED: set(),
}
STEP_MOVES: Mapping[str, set[StepStatus]] = {
    S.PENDING: {
        S.PENDING,
        S.STARTED,
        S.WAITING_APPROVAL,
        S.SKIPPED,
        S.BLOCKED,
        S.FAILED,
        S.SUPERSEDED,
        S.CANCELLED,
    },
    S.STARTED: {S.DONE, S.FAILED, S.SKIPPED, S.PENDING, S.UNKNOWN, S.BLOCKED, S.SUPERSEDED, S.CANCELLED},
    S.WAITING_APPROVAL: {S.PENDING, S.REJECTED, S.SKIPPED, S.SUPERSEDED, S.CANCELLED},
    S.UNKNOWN: {S.DONE, S.PENDING, S.FAILED, S.SUPERSEDED, S.CANCELLED},
    S.BLOCKED: {S.PENDING, S.FAILED, S.SKIPPED, S.SUPERSEDED, S.CANCELLED},
    S.DONE: {S.SUPERSEDED},
    S.FAILED: {S.PENDING, S.SKIPPED, S.SUPERSEDED},
    S.REJECTED: {S.PENDING, S.SUPERSEDED},
    S.SKIPPED: {S.PENDING, S.SUPERSEDED},
    S.SUPERSEDED: set(),
    S.CANCELLED: set(),
}
_STEP_ENDS = {S.DONE, S.FAILED, S.REJECTED, S.SKIPPED, S.CANCELLED, S.SUPERSEDED}
SOON = timedelta(seconds=60)
STEP_KEY = ("item", "name", "revision")
"""What tells steps apart before they have an id."""


@dataclass
class StepMove:
    """One step's way to a status, with the columns that go along."""

    step: Step
    to: StepStatus
    fields: dict[str, Any] = field(default_factory=dict)


@contextmanager
def changing(task_pk: int, actor: str) -> Iterator[Change]:
    """A transaction that holds the task's lock. On leaving, the task's own status follows from its counters,
    and counters, version and journal rows are written. Raises NotFound if the task is gone."""
    with transaction.atomic():
        task = Task.objects.select_for_update().filter(pk=task_pk).first()
        if task is None:
            raise NotFound("This task does not exist (any more).")
        if task.archived:
            raise WrongState(
                _("This task was read back from an archive to be looked at; it cannot be changed.")
            )
        change = Change(task, actor)
        yield change
        if change.touched:
            settle(change)
        change.flush()
        leases.give_time_back(change)


def move_steps(change: Change, moves: Sequence[StepMove], *, strict: bool = True) -> list[StepMove]:
    """Carry out the moves whose step still stands where its object says (status, attempt and lease); returns
    the others. With `strict` an illegal or lost move raises WrongState and nothing is written. A step that has
    no row yet is only changed itself: `open_steps` inserts it as what it has become."""
    lost: list[StepMove] = []
    for shape in _by_shape(change, moves):
        for one in shape:
            if one.step.pk is None:
                _become(one)
        lost += _move_alike(change, [one for one in shape if one.step.pk is not None])
    if lost and strict:
        raise WrongState(f"Step {lost[0].step.name} is no longer {lost[0].step.get_status_display()}.")
    return lost


def open_steps(change: Change, new: Sequence[Step]) -> None:
    """Insert step rows; each was made by its caller as pending (or, for an import, as the document says), and
    may have been moved before it has a row."""
    if not new:
        return
    fields = [f for f in Step._meta.concrete_fields if not f.primary_key]
    values = attrgetter(*(f.attname for f in fields))
    ids = rows.insert(Step, [f.name for f in fields], [values(step) for step in new], key=STEP_KEY)
    for step in new:
        step.pk = ids[step.item_id, step.name, step.revision]
    for (name, status), number in Counter((step.name, step.status) for step in new).items():
        change.count_step(name, None, status, number)


def add_items(change: Change, new: Sequence[Item]) -> None:
    """Insert item rows, numbered by their caller, and count them."""
    Item.objects.bulk_create(new)
    for item in new:
        if not item.is_whole_task:
            change.count_item(None, item.status)


def cancel_open(change: Change, reason: str) -> int:
    """Everything of the task that is open ends, in a few statements however much it is; returns how many steps."""
    steps = Step.objects.filter(task=change.task, status__in=OPEN_STEPS).order_by()
    for name, before, number in steps.values_list("name", "status").annotate(Count("pk")):
        change.count_step(name, before, S.CANCELLED, number)
    ended = {"lease_owner": "", "lease_until": None, "due_at": None, "finished_at": change.now}
    cancelled = steps.update(status=S.CANCELLED, error=reason, reserved_micro=0, **ended)
    items = Item.objects.filter(task=change.task).exclude(status__in=SETTLED_ITEMS).order_by()
    for status, number in items.filter(position__gt=0).values_list("status").annotate(Count("pk")):
        change.count_item(status, I.CANCELLED, number)
    items.update(status=I.CANCELLED, updated_at=change.now)
    return cancelled


class Movable(Protocol):
    """An item, or as much of it as a move needs."""

    pk: int
    key: str
    position: int
    status: str
    stage: str


def move_items(change: Change, moves: Sequence[tuple[Movable, ItemStatus, str]]) -> None:
    """Items with their new status and stage; the caller holds the task's lock. One that another step of it has
    moved since it was read is there already, and stays as it is."""
    if not moves:
        return
    for item, to, _stage in moves:
        if to != item.status and to not in ITEM_MOVES[item.status]:
            raise WrongState(
                f"Item {item.key} is {ItemStatus(item.status).label}; it cannot become {to.label}."
            )
    changed = [[item.pk, item.status, to, stage, change.now] for item, to, stage in moves]
    moved = set(rows.update(Item, ("id", "status"), ("status", "stage", "updated_at"), changed))
    for item, to, stage in moves:
        if to != item.status and item.position and item.pk in moved:
            change.count_item(item.status, to)
        item.status, item.stage = to, stage


def move_task(change: Change, to: TaskStatus, reason: str = "", actor: str = "") -> None:
    """The task's own move, with what hangs on it: times, expiry, the notice to its starter."""
    task = change.task
    if to not in TASK_MOVES[task.status]:
        raise WrongState(
            f"Task {task.public_id} is {task.get_status_display()}; it cannot become {to.label}."
        )
    change.record(Kind.STATUS, data={"from": task.status, "to": to, "reason": reason}, actor=actor)
    finished = to in FINISHED_TASKS
    change.set(
        status=to,
        reason=reason,
        finished_at=change.now if finished else None,
        expires_at=change.now + task.keep_for if finished and task.keep_for else None,
        untold=to if to in (T.COMPLETED, T.FAILED, T.BLOCKED) else task.untold,
    )
    if to == T.RUNNING and task.started_at is None:
        change.set(started_at=change.now)
    change.touched = True


def settle(change: Change) -> None:
    """Let the task's status follow from its counters, if it is not a person's to say."""
    task = change.task
    if task.status in (T.PENDING, T.PAUSED, T.CANCELLED) or task.held or not task.items_read:
        return
    to = _follows(change)
    if to != task.status:
        move_task(change, to, actor="taskboard")


def _follows(change: Change) -> TaskStatus:
    task = change.task
    if task.steps_in(S.STARTED):
        return T.RUNNING
    pending = task.steps_in(S.PENDING)
    if pending and task.out_of_budget:
        return T.BLOCKED
    if pending and _something_soon(change):
        return T.RUNNING
    if pending or task.steps_in(S.WAITING_APPROVAL):
        return T.WAITING
    if task.steps_in(S.UNKNOWN, S.BLOCKED):
        return T.BLOCKED
    gave_up = Item.objects.filter(task=task, position=0, status=I.FAILED).exists()
    return T.FAILED if gave_up else T.COMPLETED


def _something_soon(change: Change) -> bool:
    pending = stop_point.within(change.task, Step.objects.filter(task=change.task, status=S.PENDING))
    if held := frozen.steps(change):
        frozen.note(change)
        pending = pending.exclude(name__in=held)
    return pending.filter(Q(due_at=None) | Q(due_at__lte=change.now + SOON)).exists()


def _by_shape(change: Change, moves: Sequence[StepMove]) -> list[list[StepMove]]:
    shapes: dict[frozenset[str], list[StepMove]] = {}
    for one in moves:
        if one.to not in STEP_MOVES[one.step.status]:
            raise WrongState(
                f"Step {one.step.name} is {one.step.get_status_display()}; it cannot become {one.to.label}."
            )
        _complete(one, change)
        shapes.setdefault(frozenset(one.fields), []).append(one)
    return list(shapes.values())


def _complete(one: StepMove, change: Change) -> None:
    """What follows from the move itself: its time, and that only a started step has a lease."""
    if one.to == S.STARTED:
        one.fields.setdefault("started_at", change.now)
        one.fields.setdefault("finished_at", None)
    else:
        if one.to in _STEP_ENDS:
            one.fields.setdefault("finished_at", change.now)
        one.fields.setdefault("lease_owner", "")
        one.fields.setdefault("lease_until", None)
        one.fields.setdefault("due_at", None)


def _move_alike(change: Change, moves: list[StepMove]) -> list[StepMove]:
    if not moves:
        return []
    names = sorted(moves[0].fields)
    guard = ("id", "status", "attempt", "lease_owner")
    guards = attrgetter(*guard)
    values = [(*guards(m.step), m.to, *(m.fields[n] for n in names)) for m in moves]
    moved = set(rows.update(Step, guard, ("status", *names), values))
    done = [one for one in moves if one.step.pk in moved]
    for (name, before, to), number in Counter((m.step.name, m.step.status, m.to) for m in done).items():
        change.count_step(name, before, to, number)
    for one in done:
        _become(one)
    return [one for one in moves if one.step.pk not in moved]


def _become(one: StepMove) -> None:
    vars(one.step).update(one.fields, status=one.to)
