"""What the brief tells of a task's rows: a few of them each, found by index, however many there are."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import nlargest, nsmallest

from taskboard.models import Checkpoint, Item, ItemStatus, Kind, Step, StepStatus, Task
from taskboard.workflow import WorkflowSpec

MOST = 12
LATELY = 2_000
"""At most this many of the newest journal rows are searched for what was found outside."""
NEXT = 500
"""For at most this many of the next steps it is asked whether the facts they rest on are too old."""
SETTLED = ("it happened", "it did not happen", "give up")


def found(task: Task) -> list[Checkpoint]:
    """The latest results that nobody reported, and that were found outside."""
    lately = task.journal.filter(ordinal__gt=task.last_ordinal - LATELY)
    return list(lately.filter(kind=Kind.RESULT, data__found=True).order_by("-ordinal")[:MOST])


def settled_by_people(task: Task) -> list[Checkpoint]:
    """The latest outcomes that people settled."""
    told = Checkpoint.objects.people().filter(task=task, data__did__in=SETTLED)
    return list(told.order_by("-ordinal")[:MOST])


def last_writes(task: Task) -> tuple[int, list[Step]]:
    """How many writes are done, and the last ones; of each step those of the last items are looked at."""
    last: list[Step] = []
    number = 0
    for name, per in task.step_counts.items():
        done = Step.objects.filter(task=task, name=name, status=StepStatus.DONE).select_related("item")
        writes = [step for step in done.order_by("-position")[:MOST] if step.idempotency_key]
        if writes:
            number += per.get(StepStatus.DONE, 0)
            last += writes
    return number, nlargest(MOST, last, key=lambda step: (step.finished_at or task.created_at, step.pk))


def too_old(task: Task, spec: WorkflowSpec, now: datetime) -> Iterator[tuple[str, int]]:
    """The facts on which some of the next steps rest, older than their step allows, each with its number."""
    waiting = Step.objects.filter(task=task, status=StepStatus.PENDING).order_by("position", "id")
    items = set(waiting.values_list("item", flat=True)[:NEXT])
    for fact in spec.item_steps:
        if fact.fresh_for is not None:
            done = Step.objects.filter(item__in=items, name=fact.name, status=StepStatus.DONE)
            yield fact.name, done.filter(checked_at__lt=now - fact.fresh_for).count()


def stuck(task: Task) -> Iterable[Item]:
    """The first items that wait for a person."""
    items = Item.objects.filter(task=task).order_by("position")
    waiting = (ItemStatus.BLOCKED, ItemStatus.WAITING_APPROVAL)
    found = [item for status in waiting for item in items.filter(status=status)[:MOST]]
    return nsmallest(MOST, found, key=lambda item: item.position)
