"""The parts of the item page: its steps with all that happened to them, costs, comments, journal rows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_GET

from taskboard import comments as said
from taskboard import frozen
from taskboard.gates import gate
from taskboard.guards import may
from taskboard.models import Artifact, Checkpoint, Item, ItemStatus, LedgerEntry, Step, StepStatus, Task
from taskboard.models.task import SETTLED_ITEMS
from taskboard.views import funnel, timeline
from taskboard.views.artifact_links import show
from taskboard.views.effect_links import link_to
from taskboard.views.entries import entries
from taskboard.views.pages import item_of, visible_task

MOST_ROWS = 100
MOST_FOLDED = 2000
"""Journal rows of one item that its timeline is made of: the newest ones."""
MOST_COSTS = 50
LIVE = ("state", "steps", "costs", "artifacts", "journal")
NEEDS_ANSWER = (StepStatus.UNKNOWN, StepStatus.FAILED, StepStatus.BLOCKED)


@dataclass(frozen=True)
class Life:
    """A step as the page shows it: how it stands, what happened when, and where its effect is seen."""

    mark: funnel.Mark
    stretches: Sequence[timeline.Stretch] = ()
    link: str = ""
    estimated: bool = False
    waits: str = ""
    """Why it does not begin although its turn has come."""


def steps(task: Task, item: Item) -> dict[str, Any]:
    """Current steps in the workflow's order, then the revisions that were replaced."""
    rows = list(Step.objects.filter(item=item).order_by("revision", "id"))
    current = [row for row in rows if row.status != "superseded"]
    known = funnel.to_come(task, funnel.labels(task, whole_task=item.is_whole_task), current)
    lives = _lives(task, item, rows)
    return {
        "steps": [_life(_asked(mark), lives) for mark in funnel.marks(known, current)],
        "replaced": [lives[row.pk] for row in rows if row.status == "superseded"],
    }


def _lives(task: Task, item: Item, rows: Sequence[Step]) -> dict[int, Life]:
    told = Checkpoint.objects.filter(task=task, item_key=item.key).order_by("-ordinal")[:MOST_FOLDED]
    folded = timeline.fold(reversed(told))
    drawn = timeline.drawn({row.pk: timeline.of_step(folded, row) for row in rows}, timezone.now())
    estimates = LedgerEntry.objects.filter(item=item, estimated=True).order_by("step").values_list("step")
    guessed = {name for name, micro in estimates.annotate(Sum("amount_micro")) if micro}
    spec = funnel.spec_of(task)
    steps = {**spec.steps, **spec.undo} if spec else {}
    held = frozen.sentences(spec) if spec and task.frozen_systems else {}
    return {
        row.pk: Life(
            funnel.Mark(row.name, funnel.label(steps.get(row.name), row.name), row.status, row.attempt, row),
            drawn[row.pk], link_to(steps.get(row.name), row) if row.external_id else "", row.name in guessed,
            held.get(row.name, "") if row.status == StepStatus.PENDING else "",
        )
        for row in rows
    }  # fmt: skip


def _life(mark: funnel.Mark, lives: dict[int, Life]) -> Life:
    return replace(lives[mark.step.pk], mark=mark) if mark.step else Life(mark)


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


def costs(task: Task, item: Item) -> dict[str, Any]:
    """What was paid for, newest first; the sum is that of all its steps."""
    entries = list(LedgerEntry.objects.filter(item=item).order_by("-pk")[: MOST_COSTS + 1])
    spent = sum(Step.objects.filter(item=item).values_list("cost_micro", flat=True))
    return {"costs": entries[:MOST_COSTS], "more_costs": len(entries) > MOST_COSTS, "spent_micro": spent}


def comments(task: Task, item: Item) -> dict[str, Any]:
    return {"comments": said.of_item(item)[:MOST_ROWS]}


def journal(task: Task, item: Item) -> dict[str, Any]:
    rows = Checkpoint.objects.filter(task=task, item_key=item.key).order_by("-ordinal")
    return {"entries": entries(task, rows[:MOST_ROWS])}


def artifacts(task: Task, item: Item) -> dict[str, Any]:
    newest = Artifact.objects.filter(task=task, item=item).order_by("-pk")
    return {"artifacts": [show(task, one) for one in newest[:MOST_ROWS]]}


def all_of(task: Task, item: Item) -> dict[str, Any]:
    context: dict[str, Any] = {"task": task, "item": item}
    for build in (state, steps, costs, comments, artifacts, journal):
        context |= build(task, item)
    return context


def all_html(task: Task, item: Item) -> dict[str, str]:
    """The live regions of the page; buttons are not among them, but a word that they are others now is."""
    item.task = task
    context = all_of(task, item)
    found: dict[str, str] = {
        f"#{name}": render_to_string(f"taskboard/item.html#{name}", context) for name in LIVE
    }
    found["#comments"] = render_to_string("taskboard/_comments.html#list", context)
    needy = (life.mark for life in context["steps"] if life.mark.status in NEEDS_ANSWER)
    which = "-".join(f"{mark.step.pk}.{mark.step.attempt}.{mark.status}" for mark in needy if mark.step)
    return found | {"#refresh": render_to_string("taskboard/_item_refresh.html", context | {"which": which})}


def actions_html(request: HttpRequest, task: Task, item: Item) -> str:
    """What this person may do with the steps that went wrong."""
    context = {"task": task, "item": item, **steps(task, item)}
    return render_to_string("taskboard/_item_actions.html", context, request)


@require_GET
@may()
def actions(request: HttpRequest, public_id: str, key: str) -> HttpResponse:
    """The buttons alone, for a page that was told that they are others now."""
    task = visible_task(request, public_id)
    item = item_of(task, key)
    return HttpResponse(actions_html(request, task, item))
