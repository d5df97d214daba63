"""What people told a task and no step was handed yet, in its order; and handing it over."""

from collections.abc import Sequence

from django.db.models import QuerySet
from django.utils.translation import ngettext

from taskboard import workflow
from taskboard.change import Change
from taskboard.models import Instruction, Item, Kind, Step, Task


def queued(task: Task) -> "QuerySet[Instruction]":
    """Those that no step has taken up yet, in their order."""
    return Instruction.objects.filter(task=task, taken_up_at=None)


def take_up(change: Change, step: Step, item: Item) -> None:
    """Hand what is queued to a step that starts, in the transaction of its intent."""
    name = f"{item.key}.{step.name}"
    taken = list(queued(change.task).values_list("pk", flat=True))
    queued(change.task).update(taken_up_at=change.now, taken_up_by=name)
    change.set(open_instructions=0)
    told = ngettext("%d instruction handed over", "%d instructions handed over", len(taken)) % len(taken)
    data = {"instructions": taken, "text": ". ".join(filter(None, (told, heeding(change.task.workflow))))}
    change.record(Kind.NOTE, item=item.key, step=step.name, attempt=step.attempt, data=data)


def taken_up_by(task_pk: int, item_key: str, step: str) -> Sequence[str]:
    """The messages that this step was handed, word for word; a later attempt of it reads them too."""
    taken = Instruction.objects.filter(task=task_pk, taken_up_by=f"{item_key}.{step}")
    return tuple(taken.values_list("text", flat=True))


def heeding(name: str) -> str:
    """What the workflow says it makes of instructions (`on_instructions`); empty where its steps read them."""
    spec = workflow.find(name)
    return str(getattr(spec.owner, "on_instructions", "")) if spec else ""


def recount(change: Change) -> None:
    """Count anew, after rows came, went or were read in."""
    change.set(open_instructions=queued(change.task).count())
