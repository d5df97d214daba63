"""Freezing an outside system: no step that writes to it begins, in any task, until it is thawed. Reading goes on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit, frozen, hints, lifecycle, workflow
from taskboard.errors import NotFound, WrongState
from taskboard.models import Freeze, Step, StepStatus, Task
from taskboard.models.task import OPEN_TASKS
from taskboard.rights import FREEZE, THAW, require, said
from taskboard.workflow import WorkflowSpec

MOST = 50
"""Steps in flight, and tasks that wait, that are listed per system."""


@dataclass(frozen=True)
class System:
    """An outside system: what writes to it, what is in flight, what waits for its thaw."""

    name: str
    writers: Sequence[tuple[WorkflowSpec, tuple[str, ...]]]
    freeze: Freeze | None
    flying: Sequence[Step]
    flying_count: int
    waiting: Sequence[tuple[Task, int]]
    waiting_count: int

    @property
    def more_waiting(self) -> int:
        return self.waiting_count - len(self.waiting)


def known() -> dict[str, list[tuple[WorkflowSpec, tuple[str, ...]]]]:
    """The systems that workflows write to, each with the steps that do so."""
    found: dict[str, list[tuple[WorkflowSpec, tuple[str, ...]]]] = {}
    for spec in workflow.registered():
        for system, steps in spec.systems.items():
            found.setdefault(system, []).append((spec, steps))
    return dict(sorted(found.items()))


def systems() -> list[System]:
    """All of them as they stand now; one that the code no longer names is there while it is frozen."""
    writers, now = known(), {freeze.system: freeze for freeze in Freeze.objects.open()}
    return [_system(name, writers.get(name, []), now.get(name)) for name in sorted({*writers, *now})]


def past(number: int = 20) -> "QuerySet[Freeze]":
    """The freezes that are over, the last ones first."""
    return Freeze.objects.exclude(thawed_at=None)[:number]


def freeze(system: str, user: AbstractBaseUser, reason: str) -> Freeze:
    """From now on nothing is begun that writes to it; what is in flight ends. Each task that has to wait says so."""
    require(user, FREEZE)
    reason = said(reason, _("Say why it is frozen; everybody sees the reason until it is thawed."))
    if system not in known():
        raise NotFound(_no_such(system))
    row = Freeze(system=system, reason=reason, frozen_by=user.get_username(), frozen_at=timezone.now())
    try:
        with transaction.atomic():
            row.save()
            audit.record(user, "freeze", ("system", system), reason=reason)
    except IntegrityError:
        raise WrongState(_("%(system)s is frozen already.") % {"system": system}) from None
    for task_pk in _open_tasks(system):
        _note(task_pk, user)
    return row


def thaw(system: str, user: AbstractBaseUser, reason: str = "") -> Freeze:
    """What waited goes on: the oldest task first, each with no more steps at once than its workflow allows."""
    require(user, THAW)
    with transaction.atomic():
        row = Freeze.objects.select_for_update().open().filter(system=system).first()
        if row is None:
            raise WrongState(_("%(system)s is not frozen (any more).") % {"system": system})
        row.thaw_reason, row.thawed_by, row.thawed_at = reason.strip(), user.get_username(), timezone.now()
        row.save(update_fields=["thaw_reason", "thawed_by", "thawed_at"])
        audit.record(
            user, "thaw", ("system", system), reason=reason, before={"since": row.frozen_at.isoformat()}
        )
    for task_pk in _waiting(system).values_list("pk", flat=True):
        _note(task_pk, user)
        hints.soon("taskboard.run_task", task_pk)
    return row


def figures(now: datetime) -> dict[str, dict[str, object]]:
    """Per frozen system since when, by whom and why: for monitoring."""
    return {
        one.system: {
            "since": one.frozen_at,
            "by": one.frozen_by,
            "seconds": int((now - one.frozen_at).total_seconds()),
        }
        for one in Freeze.objects.open().order_by("system")
    }


def _system(
    name: str, writers: Sequence[tuple[WorkflowSpec, tuple[str, ...]]], held: Freeze | None
) -> System:
    flying = _steps(writers).filter(status=StepStatus.STARTED).order_by("started_at", "pk")
    waiting = list(_counted(name, writers)) if held else []
    shown = list(flying.select_related("task", "item")[:MOST]) if writers else []
    count = flying.count() if len(shown) == MOST else len(shown)
    return System(name, writers, held, shown, count, waiting[:MOST], len(waiting))


def _steps(writers: Sequence[tuple[WorkflowSpec, tuple[str, ...]]]) -> "QuerySet[Step]":
    those = Q(pk=None)
    for spec, steps in writers:
        those |= Q(task__workflow=spec.name, name__in=steps)
    return Step.objects.filter(those)


def _counted(
    system: str, writers: Sequence[tuple[WorkflowSpec, tuple[str, ...]]]
) -> Iterator[tuple[Task, int]]:
    """The tasks that wait, with how many of their steps do; from the counters, however many there are."""
    names: Mapping[str, tuple[str, ...]] = {spec.name: steps for spec, steps in writers}
    for task in _waiting(system):
        per_step = (task.step_counts.get(name, {}) for name in names.get(task.workflow, ()))
        if number := sum(counts.get(StepStatus.PENDING, 0) for counts in per_step):
            yield task, number


def _waiting(system: str) -> "QuerySet[Task]":
    """The open tasks that were seen to wait for it, the oldest first."""
    told = Task.objects.filter(status__in=OPEN_TASKS).exclude(frozen_systems="").order_by("pk")
    those = [pk for pk, names in told.values_list("pk", "frozen_systems") if system in frozen.names(names)]
    return told.filter(pk__in=those)


def _open_tasks(system: str) -> list[int]:
    workflows = [spec.name for spec, _steps in known()[system]]
    tasks = Task.objects.filter(status__in=OPEN_TASKS, held=False, workflow__in=workflows)
    return list(tasks.order_by("pk").values_list("pk", flat=True))


def _note(task_pk: int, user: AbstractBaseUser) -> None:
    try:
        with lifecycle.changing(task_pk, user.get_username()) as change:
            frozen.note(change)
    except NotFound:  # purged in between: nothing waits any more
        return


def _no_such(system: str) -> str:
    names = ", ".join(known()) or _("none")
    return _("No workflow writes to %(system)r. The systems are: %(names)s.") % {
        "system": system,
        "names": names,
    }
