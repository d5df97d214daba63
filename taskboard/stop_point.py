"""Where a task is told to stop: no step behind a named one, or no new item beyond a number."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet

from taskboard import sentences, workflow
from taskboard.models import Item, ItemStatus, Step, StepStatus, Task
from taskboard.workflow import EVERYTHING, StepSpec


def within(task: Task, steps: "QuerySet[Step]") -> "QuerySet[Step]":
    """Those of the steps that may be begun; all of them while nobody said where to stop."""
    if step := task.stop_after.get("step"):
        return steps.exclude(name__in=behind(workflow.get(task.workflow).steps.values(), step))
    if number := task.stop_after.get("items"):
        begun = Q(position=0) | ~Q(item__status=ItemStatus.PENDING)
        return steps.filter(begun | Q(item__in=_next_items(task, number)))
    return steps


def is_reached(task: Task) -> bool:
    """Whether only steps beyond the stop are left, with nothing in the air and nobody asked."""
    if not task.stop_after or task.steps_in(StepStatus.STARTED) or not task.steps_in(StepStatus.PENDING):
        return False
    going_on = (StepStatus.PENDING, StepStatus.WAITING_APPROVAL)
    return not within(task, Step.objects.filter(task=task, status__in=going_on)).exists()


def reason(task: Task) -> str:
    """Why the task stands still, in words, as it is kept."""
    by = task.stop_after.get("by", "")
    if step := task.stop_after.get("step"):
        return sentences.STOPPED_BEHIND_STEP(step=step, name=by)
    return sentences.STOPPED_BEHIND_ITEMS(number=task.stop_after.get("items", 0), name=by)


def behind(steps: Iterable[StepSpec], name: str) -> set[str]:
    """The names of the steps that come after this one, directly or by others. Pure."""
    known = list(steps)
    found: set[str] = set()
    reached = {name}
    while reached:
        reached = {step.name for step in known if _follows(step, reached)} - found - {name}
        found |= reached
    return found


def _follows(step: StepSpec, names: set[str]) -> bool:
    return step.after_all == EVERYTHING or bool(names & {*step.after, *step.after_all})


def _next_items(task: Task, number: int) -> "QuerySet[Item, int]":
    """The untouched items that may still be begun, the first ones."""
    begun = Item.objects.listed().filter(task=task).exclude(status=ItemStatus.PENDING).count()
    untouched = Item.objects.listed().filter(task=task, status=ItemStatus.PENDING).order_by("position")
    return untouched.values_list("pk", flat=True)[: max(number - begun, 0)]
