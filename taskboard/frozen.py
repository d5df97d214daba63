"""Which outside systems are frozen, and what that holds back. The verbs are in `freeze`.

A workflow whose steps name no system costs no query; the others one per transaction.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from taskboard import workflow
from taskboard.models import Freeze, Kind, Step, StepStatus
from taskboard.sentences import THAWED, WAITS
from taskboard.workflow import StepSpec, WorkflowSpec

if TYPE_CHECKING:
    from taskboard.change import Change

FROZEN = "Frozen"
"""The error class of an attempt that sent nothing, because its system was frozen just before."""


def steps(change: "Change") -> Mapping[str, Freeze]:
    """The steps of the locked task that may not begin now, by name."""
    if change.held_back is None:
        change.held_back = _held_back(workflow.systems_of(change.task.workflow))
    return change.held_back


def note(change: "Change") -> None:
    """Say in the journal that the task begins to wait for a frozen system, or no longer does: one row for each, not
    one per step."""
    waiting = {
        freeze.system: freeze
        for name, freeze in steps(change).items()
        if change.task.step_counts.get(name, {}).get(StepStatus.PENDING)
    }
    before, now = set(names(change.task.frozen_systems)), set(waiting)
    if before == now:
        return
    for system in sorted(now - before):
        _write(change, system, why(waiting[system]), frozen=True)
    for system in sorted(before - now):
        _write(change, system, THAWED(system=system), frozen=False)
    change.set(frozen_systems=", ".join(sorted(now)))
    change.touched = True


def why_not(spec: StepSpec) -> str:
    """Why this step may not be called just now; empty if it may. Asked once more right before the call."""
    if not (spec.writes and spec.system):
        return ""
    freeze = Freeze.objects.open().filter(system=spec.system).first()
    return why(freeze) if freeze else ""


def passable(found: "QuerySet[Step]") -> "QuerySet[Step]":
    """Without the steps that a frozen system holds back; of all tasks."""
    held = Q()
    for system in Freeze.objects.open().values_list("system", flat=True):
        for spec in workflow.registered():
            if writes := spec.systems.get(system):
                held |= Q(task__workflow=spec.name, name__in=writes)
    return found.exclude(held) if held else found


def why(freeze: Freeze) -> str:
    """A sentence on the freeze, as it is kept."""
    return WAITS(**_told(freeze))


def sentences(spec: WorkflowSpec) -> dict[str, str]:
    """Why steps of this workflow do not begin just now, by name, for whoever reads."""
    return {name: WAITS.shown(**_told(freeze)) for name, freeze in _held_back(spec.systems).items()}


def names(told: str) -> list[str]:
    """The systems in a column of a task."""
    return [name for name in told.split(", ") if name]


def _told(freeze: Freeze) -> Mapping[str, str]:
    return {"system": freeze.system, "name": freeze.frozen_by, "reason": freeze.reason}


def _held_back(systems: Mapping[str, tuple[str, ...]]) -> Mapping[str, Freeze]:
    if not systems:
        return {}
    closed = Freeze.objects.open().filter(system__in=systems)
    return {name: freeze for freeze in closed for name in systems[freeze.system]}


def _write(change: "Change", system: str, text: str, *, frozen: bool) -> None:
    change.record(Kind.NOTE, data={"text": text, "system": system, "frozen": frozen})
