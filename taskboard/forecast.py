"""What a task will have cost when it is done, from what its steps cost lately."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from taskboard.models import Step, StepStatus, Task
from taskboard.money import to_micro
from taskboard.workflow import StepSpec

NEWEST = 50
"""What a step costs is told from at most this many of its last costs."""


@dataclass(frozen=True)
class StepCost:
    """A step of a task: what it cost so far, how many are not begun, and what one costs by which basis.
    `known` is the number of costs behind the mean; 0 means that the workflow's estimate stands in for them."""

    name: str
    spent_micro: int
    left: int
    mean_micro: int
    known: int

    @property
    def ahead_micro(self) -> int:
        return self.left * self.mean_micro


@dataclass(frozen=True)
class Forecast:
    """The sum, and how it comes about."""

    total_micro: int
    steps: Sequence[StepCost]

    @property
    def known(self) -> int:
        """How many costs it rests on."""
        return sum(step.known for step in self.steps if step.left)

    @property
    def estimated(self) -> bool:
        """Whether the workflow's estimate stands in for costs that nobody knows yet."""
        return any(step.left and step.mean_micro and not step.known for step in self.steps)

    @property
    def says_something(self) -> bool:
        return any(step.ahead_micro for step in self.steps)


def forecast(spent_micro: int, reserved_micro: int, steps: Sequence[StepCost]) -> Forecast:
    """Spent + reserved + for each step what is not begun times the mean of its last costs. What is begun is in
    the reservations. Pure."""
    return Forecast(spent_micro + reserved_micro + sum(step.ahead_micro for step in steps), steps)


def look(task: Task, specs: Mapping[str, StepSpec], left: Mapping[str, int]) -> Forecast:
    """One short query per step that has something left and has cost something, however many items there are."""
    steps = []
    for name in dict.fromkeys((*left, *task.step_costs)):
        number = left.get(name, 0)
        costs = _costs(task, name) if number else []
        mean = mean_of(costs) if costs else _estimate(task, specs.get(name))
        steps.append(StepCost(name, task.step_costs.get(name, 0), number, mean, len(costs)))
    return forecast(task.spent_micro, task.reserved_micro, steps)


def mean_of(costs: Sequence[int]) -> int:
    """In whole micro-USD, rounded half up."""
    return (2 * sum(costs) + len(costs)) // (2 * len(costs)) if costs else 0


def _costs(task: Task, name: str) -> list[int]:
    """The last ones by the place of their items, which are worked on in that order: an index knows it."""
    if not task.step_costs.get(name):  # nothing was ever paid for it, so all of them are 0
        return [0] * min(task.step_counts.get(name, {}).get(StepStatus.DONE, 0), NEWEST)
    done = Step.objects.filter(task=task, name=name, status=StepStatus.DONE).order_by("-position")
    return list(done.values_list("cost_micro", flat=True)[:NEWEST])


def _estimate(task: Task, spec: StepSpec | None) -> int:
    """Parameters may come from an imported document, and then be none of this workflow."""
    try:
        return to_micro(spec.estimate_usd(task.params)) if spec else 0
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return 0
