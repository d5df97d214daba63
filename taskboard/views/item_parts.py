"""The parts of the item page: its steps with all their attempts, and its own journal rows."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string

from taskboard.gates import gate
from taskboard.models import Artifact, Checkpoint, Item, ItemStatus, Step, StepStatus, Task
from taskboard.models.task import SETTLED_ITEMS
from taskboard.views import funnel
from taskboard.views.artifact_links import show
from taskboard.views.entries import entries

MOST_ROWS = 100


def steps(task: Task, item: Item) -> dict[str, Any]:
    """Current steps in the workflow's order, then the revisions that were replaced."""
    rows = list(Step.objects.filter(item=item).order_by("revision", "id"))
    current = [row for row in rows if row.status != "superseded"]
    known = funnel.to_come(task, funnel.labels(task, whole_task=item.is_whole_task), current)
    return {
        "steps": [_asked(mark) for mark in funnel.marks(known, current)],
        "replaced": [row for row in rows if row.status == "superseded"],
    }


def _asked(mark: funnel.Mark) -> funnel.Mark:
    """A step that waits for a person leads to its question."""
    if mark.step is None or mark.status != StepStatus.WAITING_APPROVAL:
        return mark
    return replace(mark, question=gate().question_of(mark.step))


def state(task: Task, item: Item) -> dict[str, Any]:
    spec = funnel.spec_of(task)
    step = spec.steps.get(item.stage) if spec else None
    begun = item.status == ItemStatus.RUNNING and funnel.is_still(task)
    settled = item.status in SETTLED_ITEMS
    return {"stage": funnel.label(step, item.stage), "settled": settled, "begun": begun}


def journal(task: Task, item: Item) -> dict[str, Any]:
    rows = Checkpoint.objects.filter(task=task, item_key=item.key).order_by("-ordinal")
    return {"entries": entries(task, rows[:MOST_ROWS])}


def artifacts(task: Task, item: Item) -> dict[str, Any]:
    newest = Artifact.objects.filter(task=task, item=item).order_by("-pk")
    return {"artifacts": [show(task, one) for one in newest[:MOST_ROWS]]}


def all_of(task: Task, item: Item) -> dict[str, Any]:
    context: dict[str, Any] = {"task": task, "item": item}
    for build in (state, steps, artifacts, journal):
        context |= build(task, item)
    return context


def all_html(task: Task, item: Item) -> dict[str, str]:
    """The live regions of the page; buttons are not among them."""
    item.task = task
    context = all_of(task, item)
    names = ("state", "steps", "artifacts", "journal")
    return {f"#{name}": render_to_string(f"taskboard/item.html#{name}", context) for name in names}


def actions_html(request: HttpRequest, task: Task, item: Item) -> str:
    """What this person may do with the steps that went wrong."""
    context = {"task": task, "item": item, **steps(task, item)}
    return render_to_string("taskboard/_item_actions.html", context, request)
