"""What a task will have cost when it is done."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import lifecycle
from taskboard.forecast import NEWEST, StepCost, forecast, look, mean_of
from taskboard.models import Step, StepStatus, Task, TaskStatus
from taskboard.views import parts
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task


def test_it_adds_what_is_left_times_the_mean_to_what_is_spent_and_reserved() -> None:
    steps = [StepCost("look", 300, 10, 20, 5), StepCost("tell", 0, 3, 7, 0)]
    assert forecast(1000, 50, steps).total_micro == 1000 + 50 + 200 + 21


@pytest.mark.parametrize(
    ("step", "estimated"),
    [((5, 7, 0), True), ((5, 0, 0), False), ((5, 7, 3), False), ((0, 7, 0), False)],
)
def test_it_is_estimated_where_only_the_workflow_says_what_is_left(
    step: tuple[int, int, int], estimated: bool
) -> None:
    assert forecast(0, 0, [StepCost("look", 0, *step)]).estimated is estimated


@pytest.mark.parametrize(("costs", "mean"), [([], 0), ([1, 2], 2), ([10, 11, 12], 11), ([0, 0, 1], 0)])
def test_a_mean_is_whole_micro_usd(costs: list[int], mean: int) -> None:
    assert mean_of(costs) == mean


def make_paid(done: int, pending: int, cost: int = 20_000, **over: object) -> Task:
    task = make_task(workflow="linear", spent_micro=done * cost, counts={}, **over)
    for number in range(done + pending):
        status = StepStatus.DONE if number < done else StepStatus.PENDING
        make_step(make_item(task), "look", status=status, cost_micro=cost if number < done else 0)
    with lifecycle.changing(task.pk, "test") as change:
        change.count_cost("look", done * cost)
    task.refresh_from_db()
    return task


def test_it_rests_on_the_last_costs_only(db: None) -> None:
    task = make_paid(NEWEST + 10, 0)
    early = Step.objects.filter(task=task).order_by("position").values_list("pk", flat=True)[:10]
    Step.objects.filter(pk__in=list(early)).update(cost_micro=9_000_000)
    found = look(task, {}, {"look": 5})
    assert (found.steps[0].mean_micro, found.steps[0].known) == (20_000, NEWEST)


def test_without_any_cost_the_estimate_of_the_workflow_stands_in(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="paid", params={"items": 3, "mode": "0.5"}, limit_micro=1_000_000)
    for _ in range(3):
        make_step(make_item(task), "look")
    shown = parts.budget(task)
    assert shown["forecast"].total_micro == 1_500_000
    assert shown["forecast"].estimated
    assert shown["too_dear"]
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert "At this pace <b>$1.50</b> of $1.00 when done" in page
    assert "Nothing is known yet" in page


def test_what_is_begun_is_in_the_reservations(db: None) -> None:
    task = make_task(workflow="paid", params={"items": 1, "mode": "0.5"}, reserved_micro=500_000)
    make_step(make_item(task), "look", status=StepStatus.STARTED)
    assert parts.budget(task)["forecast"] is None


def test_parameters_of_another_workflow_hinder_nothing(db: None) -> None:
    task = make_task(workflow="paid", params={"mode": "nonsense"})
    make_step(make_item(task), "look")
    assert parts.budget(task)["forecast"] is None


def test_a_finished_task_shows_costs_and_no_forecast(operator: AbstractBaseUser) -> None:
    counts = {"steps": {"look": {"done": 2}}, "costs": {"look": 40_000}}
    task = make_task(workflow="paid", status=TaskStatus.COMPLETED, spent_micro=40_000, counts=counts)
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert "At this pace" not in page
    assert '<td class="num">$0.04</td>' in page
    assert parts.budget(task)["step_costs"][0][1].spent_micro == 40_000
