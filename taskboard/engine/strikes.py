"""Steps that are not tried again by themselves: nobody can run them, or they kill whoever tries."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from django.utils.translation import gettext_noop

from taskboard import budget, lifecycle
from taskboard.change import Change
from taskboard.engine import advance
from taskboard.lifecycle import StepMove
from taskboard.models import Item, Kind, Step, StepStatus
from taskboard.sentences import Sentence

MOST_DEATHS = 3
"""A step whose worker died so often is not tried again by itself."""
KILLS_WORKER = "KillsWorker"
"""The error class of such a step."""
APPROVAL = "approval()"
"""What the function that makes the question is called where its author reads it."""
LOST_UNASKED = Sentence(
    gettext_noop("The worker was lost while it worked out whether a person must agree (%(approval)s).")
)


class Prepared(Protocol):
    """What is being worked out before a person is asked, or not."""

    step: Step
    item: Item


P = TypeVar("P", bound=Prepared)


def harmless(change: Change, claimed: Sequence[P]) -> list[P]:
    """Without those whose `approval` killed its worker too often; a lease that nobody gave back tells of each time."""
    for one in claimed:
        if one.step.lease_owner:
            _strike(change, one)
    killers = [one.step for one in claimed if one.step.lease_owner and one.step.deaths >= MOST_DEATHS]
    for deaths in sorted({step.deaths for step in killers}):
        error = f"{LOST_UNASKED(approval=APPROVAL)} It was tried {deaths} times."
        block(change, [step for step in killers if step.deaths == deaths], error, KILLS_WORKER)
    return [one for one in claimed if one.step.status == StepStatus.PENDING]


def _strike(change: Change, one: Prepared) -> None:
    step = one.step
    step.deaths += 1
    Step.objects.filter(pk=step.pk).update(deaths=step.deaths)
    told = {"reason": LOST_UNASKED(approval=APPROVAL), "preparing": True}
    data = {"lease_owner": step.lease_owner, "deaths": step.deaths, **told}
    change.record(Kind.INTERRUPTED, item=one.item.key, step=step.name, attempt=step.attempt, data=data)


def block(change: Change, steps: Sequence[Step], error: str, error_class: str = "") -> None:
    """They are not tried again by themselves, for this reason."""
    budget.free(change, steps)
    fields = {"error": error, "error_class": error_class, "reserved_micro": 0}
    lifecycle.move_steps(change, [StepMove(step, StepStatus.BLOCKED, dict(fields)) for step in steps])
    for item, step in _keys(steps):
        change.record(
            Kind.FAILURE,
            item=item,
            step=step.name,
            attempt=step.attempt,
            data={"to": "blocked", "reason": error},
        )
    if steps:
        advance.follow(change, [step.item_id for step in steps])


def _keys(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    items = Item.objects.in_bulk([step.item_id for step in steps])
    return [(items[step.item_id].key, step) for step in steps]
