"""After a deploy in mid-task: what the workflow declares now against what it declared when the task began."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils import timezone

from taskboard import budget, lifecycle, sentences, versions, workflow
from taskboard.change import Change
from taskboard.engine import advance, presence
from taskboard.errors import WorkflowChanged
from taskboard.lifecycle import StepMove
from taskboard.models import Item, Kind, Step, StepStatus, Task, TaskStatus, WorkflowVersion
from taskboard.models.step import PASSED_STEPS
from taskboard.models.task import FINISHED_TASKS, SETTLED_ITEMS
from taskboard.versions import Difference
from taskboard.workflow import WorkflowSpec

log = logging.getLogger(__name__)

ASKED = ("workflow", "workflow_version", "status", "held")
"""The columns of a task that `fits` looks at."""
AT_ONCE = 500
LONGEST_REASON = 1000
_noted: set[tuple[int, str, str]] = set()
"""What this process has journaled already: while an old and a new worker take turns, once is enough."""


def keep(spec: WorkflowSpec) -> None:
    """Remember what the workflow declares in this version."""
    WorkflowVersion.objects.get_or_create(
        workflow=spec.name,
        version=spec.version,
        defaults={"steps": versions.described(spec.steps), "seen_at": timezone.now()},
    )


def difference(task: Task, spec: WorkflowSpec) -> Difference:
    """What differs. Of a version that this installation has not seen, nothing is known to compare with."""
    kept = WorkflowVersion.objects.filter(workflow=task.workflow, version=task.workflow_version).first()
    return versions.compare(kept.steps, versions.described(spec.steps)) if kept else Difference()


def fits(task: Task) -> bool:
    """Whether this code may work on the task. Where only code within steps differs, that is journaled and
    the work goes on; where the declaration differs, the task is paused until a person says so."""
    if task.held or task.status in FINISHED_TASKS:
        return True
    spec = workflow.get(task.workflow)
    if task.workflow_version == spec.version or (task.pk, task.workflow_version, spec.version) in _noted:
        return True
    with lifecycle.changing(task.pk, "taskboard") as change:
        return _follow(change, spec)


def unchanged_writes(task: Task) -> set[str]:
    """The writes that can be looked up as they could when the task began, whatever else a deploy has changed. None,
    if it is for younger processes than this one to say."""
    spec = workflow.get(task.workflow)
    if _is_left_to_younger_ones(task):
        return set()
    changed = difference(task, spec).changed
    return {
        step.name for step in spec.steps.values() if step.writes and step.finds and step.name not in changed
    }


def accept(change: Change, spec: WorkflowSpec, *, accepted: bool) -> dict[str, Any]:
    """A resume lets the locked task follow the code as it is now; returns what is to be told of it.
    Raises WorkflowChanged unless a person accepted what differs."""
    task = change.task
    if task.workflow_version == spec.version:
        return {}
    differs = difference(task, spec)
    if differs.asks and not accepted:
        raise WorkflowChanged(sentences.read(_told(differs)), list(map(sentences.read, differs.sentences)))
    found = {"was": task.workflow_version, "is": spec.version} | _shown(differs)
    _set(change, spec)
    WorkflowVersion.objects.filter(workflow=spec.name, version=spec.version).update(seen_at=change.now)
    if differs.asks:
        _make_fit(change, spec)
    return {"workflow_version": found}


def _follow(change: Change, spec: WorkflowSpec) -> bool:
    task = change.task
    differs = difference(task, spec)
    if _is_left_to_younger_ones(task):
        return not differs.asks
    told = {"was": task.workflow_version, "is": spec.version} | _shown(differs)
    if differs.asks and Item.objects.filter(task=task).exists():
        if task.status != TaskStatus.PAUSED:
            lifecycle.move_task(change, TaskStatus.PAUSED, _told(differs)[:LONGEST_REASON])
            change.record(Kind.NOTE, data={"workflow_version": told, "text": _told(differs)})
        return False
    _noted.add((task.pk, task.workflow_version, spec.version))
    change.record(Kind.NOTE, data={"workflow_version": told, "text": sentences.CODE_CHANGED()})
    _set(change, spec)
    return True


def _is_left_to_younger_ones(task: Task) -> bool:
    """In a rolling deploy: the task follows a version that came up after this process had begun, and processes that
    began later are there to work on it. This one is on its way out, and does not ask a person again."""
    version = WorkflowVersion.objects.filter(workflow=task.workflow, version=task.workflow_version)
    return version.filter(seen_at__gt=presence.BEGAN).exists() and presence.younger_workers(timezone.now())


def _set(change: Change, spec: WorkflowSpec) -> None:
    keep(spec)
    change.set(workflow_version=spec.version)


def _shown(differs: Difference) -> dict[str, list[str]]:
    told = {"differs": differs.sentences, "code": differs.code}
    return {name: lines for name, lines in told.items() if lines}


def _told(differs: Difference) -> str:
    return sentences.DEPLOYED(what=" ".join(differs.sentences))


def _make_fit(change: Change, spec: WorkflowSpec) -> None:
    """Steps that were planned and not begun come in their new order, or not at all."""
    unsettled = Item.objects.filter(task=change.task).exclude(status__in=SETTLED_ITEMS)
    ids = list(unsettled.values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        chunk = ids[start : start + AT_ONCE]
        _put_aside(change, list(_misplaced(spec, chunk)))
        advance.follow(change, chunk)


def _misplaced(spec: WorkflowSpec, item_ids: list[int]) -> Iterable[Step]:
    """Pending steps that the workflow no longer has, or that have to wait for another one now. Of the many steps of a
    large task, only these are loaded: its lock is held meanwhile."""
    columns = ("pk", "item_id", "name", "status")
    standing = list(Step.objects.current().filter(item__in=item_ids).values_list(*columns))
    passed = {(item, name) for _pk, item, name, status in standing if status in PASSED_STEPS}
    wrong = []
    for pk, item, name, status in standing:
        known = spec.known(name)
        waits = known is not None and not all((item, before) in passed for before in known.after)
        if status == StepStatus.PENDING and (known is None or waits):
            wrong.append(pk)
    return Step.objects.filter(pk__in=wrong).select_related("item")


def _put_aside(change: Change, steps: Sequence[Step]) -> None:
    why = sentences.PUT_ASIDE()
    budget.free(change, steps)
    moves = [StepMove(step, StepStatus.SUPERSEDED, {"error": why, "reserved_micro": 0}) for step in steps]
    lifecycle.move_steps(change, moves)
    for move in moves:
        step = move.step
        data = {"to": StepStatus.SUPERSEDED, "revision": step.revision, "reason": why}
        change.record(Kind.SUPERSEDED, item=step.item.key, step=step.name, attempt=step.attempt, data=data)
