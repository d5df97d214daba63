"""What a task would take, told before it starts: items found, cost, questions to expect; each with its basis."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from taskboard.gates import gate
from taskboard.models import Task, TaskStatus
from taskboard.money import to_usd
from taskboard.outcomes import Counted
from taskboard.workflow import StepSpec, WorkflowSpec

LATEST = 3
"""At most this many finished tasks of the workflow are looked back at."""


@dataclass(frozen=True)
class Past:
    """What the latest finished tasks of a workflow came to."""

    tasks: int = 0
    items: int = 0
    spent: Decimal = Decimal(0)
    asked: int = 0

    @property
    def per_item(self) -> Decimal:
        return self.spent / self.items if self.items else Decimal(0)


@dataclass(frozen=True)
class Price:
    """A step that has a price: how often it will be paid at most, and what it comes to."""

    step: StepSpec
    each: Decimal
    times: int

    @property
    def whole(self) -> Decimal:
        return self.each * self.times


@dataclass(frozen=True)
class Estimate:
    """`found` is None where the workflow does not count beforehand: then nothing is foretold."""

    found: Counted | None
    prices: list[Price] = field(default_factory=list)
    past: Past = field(default_factory=Past)

    @property
    def cost(self) -> Decimal | None:
        """By the prices of the steps; where none has one, by what the latest tasks cost."""
        if self.found is None:
            return None
        declared = sum((price.whole for price in self.prices), Decimal(0))
        return declared or self.past.per_item * self.found.items

    @property
    def questions(self) -> int | None:
        """By the share of items that people were asked about lately; None without such tasks."""
        if self.found is None or not self.past.items:
            return None
        return round(self.found.items * self.past.asked / self.past.items)


def look_ahead(spec: WorkflowSpec, params: Mapping[str, Any]) -> Estimate:
    """Counts the source within the time that the workflow allows itself, and changes nothing.
    Raises BadInput if the source cannot be used."""
    found = spec.count(params)
    if found is None:
        return Estimate(None)
    return Estimate(found, _prices(spec, params, found.items), _past(spec))


def _prices(spec: WorkflowSpec, params: Mapping[str, Any], items: int) -> list[Price]:
    priced = [
        Price(step, step.estimate_usd(params), 1 if step.whole_task else items)
        for step in spec.steps.values()
    ]
    return [price for price in priced if price.each]


def _past(spec: WorkflowSpec) -> Past:
    done = Task.objects.filter(workflow=spec.name, status=TaskStatus.COMPLETED).order_by("-pk")
    latest = [task for task in done.only("counts", "spent_micro")[:LATEST] if task.total]
    return Past(
        tasks=len(latest),
        items=sum(task.total for task in latest),
        spent=to_usd(sum(task.spent_micro for task in latest)),
        asked=gate().asked([task.pk for task in latest]),
    )
