"""A step that a person moves: read under the lock, moved, journaled, and its item follows."""

from typing import Any

from taskboard import budget, hints, lifecycle
from taskboard.change import Change
from taskboard.engine import advance
from taskboard.errors import WrongState
from taskboard.lifecycle import StepMove
from taskboard.models import Item, Kind, Step, StepStatus
from taskboard.rights import require_steerable


def locked(step: Step, statuses: tuple[StepStatus, ...], refusal: str) -> Step:
    """The step as it stands now; raises WrongState, with its name and status in the refusal, if it stands elsewhere."""
    current = Step.objects.get(pk=step.pk)
    if current.status not in statuses:
        raise WrongState(refusal % {"step": current.name, "status": current.get_status_display()})
    return current


def move(change: Change, step: Step, to: StepStatus, fields: dict[str, Any], did: str, **told: Any) -> None:
    """Carry out a person's move; `told` goes into the journal beside what was done. Workers hear of it."""
    require_steerable(change)
    item = Item.objects.get(pk=step.item_id)
    budget.free(change, [step])
    lifecycle.move_steps(change, [StepMove(step, to, {**fields, "reserved_micro": 0})])
    data = {"to": to, "did": did, **told}
    change.record(Kind.PERSON, item=item.key, step=step.name, attempt=step.attempt, data=data)
    advance.follow(change, [item.pk])
    hints.soon("taskboard.run_task", step.task_id, queue="short")
