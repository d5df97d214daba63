"""Start what a batch has just opened in the same transaction, so that its rows are inserted as started."""

from collections.abc import Iterable, Sequence

from taskboard import workflow
from taskboard.change import Change
from taskboard.engine import claim
from taskboard.engine.advance import Standing
from taskboard.engine.claim import Claimed
from taskboard.models import Item, Step, StepStatus
from taskboard.workflow import WorkflowSpec

Opened = tuple[Standing, Step]


def begin(
    change: Change, opened: Sequence[Opened], items: Iterable[Item], owner: str, most: int
) -> list[Claimed]:
    """Up to `most` of the opened steps, started with their intents written. What is left, since a person may have
    to be asked first or there is no room, is claimed later like any other."""
    spec = workflow.get(change.task.workflow)
    room = min(most, spec.parallel - change.task.steps_in(StepStatus.STARTED))
    if room <= 0 or change.task.stop_after or change.task.out_of_budget or not claim.is_open(change):
        return []
    by_id = {item.pk: item for item in items}
    ready = [
        Claimed(step, by_id[step.item_id], spec.steps[step.name], preparing=False, outputs=item.outputs)
        for item, step in opened
        if _is_plain(spec, step) and not claim.why_unpriced(spec.steps[step.name], change.task.params)
    ]
    return claim.start(change, ready[:room], owner)


def _is_plain(spec: WorkflowSpec, step: Step) -> bool:
    """Not carried over as done, not opened anew by a go-back, nobody to be asked, resting on nothing that ages."""
    known = spec.steps.get(step.name)
    return (
        known is not None
        and known.approval is None
        and step.status == StepStatus.PENDING
        and step.revision == 1
        and step.name not in spec.facts
    )
