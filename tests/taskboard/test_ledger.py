"""Money: exact on both databases, each source once, the limit kept."""

import time
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taskboard import budget, lifecycle
from taskboard.engine import work
from taskboard.errors import BadInput
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.money import to_micro, to_usd
from taskboard.outcomes import Usage
from taskboard.recount import differences
from taskboard.start import start_task
from tests import odd_workflows, paid_workflows  # noqa: F401 registers them
from tests.background import Background
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)

charges = st.lists(
    st.tuples(
        st.decimals(0, 1000, places=6, allow_nan=False), st.sampled_from(["a", "b", "x" * 400, "x" * 401])
    ),
    max_size=8,
)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(charges)
def test_every_source_is_charged_once_and_the_sum_is_exact(amounts: list[tuple[Decimal, str]]) -> None:
    step = make_step(make_item(make_task()))
    expected: dict[str, Decimal] = {}
    for amount, source in amounts:
        expected.setdefault(source, amount)
        with lifecycle.changing(step.task_id, "test") as change:
            budget.charge(change, step, step.item, Usage(amount), source)
    task = Task.objects.get(pk=step.task_id)
    assert task.spent_usd == sum(expected.values())
    assert Step.objects.get(pk=step.pk).cost_micro == task.spent_micro
    assert list(differences(task)) == []


@given(st.decimals(0, 1_000_000_000, places=6, allow_nan=False))
def test_an_amount_reads_back_as_it_was(amount: Decimal) -> None:
    assert to_usd(to_micro(amount)) == amount


@pytest.mark.parametrize(
    ("each", "times", "limit"), [("0.10", 10, "1.00"), ("0.70", 3, "2.10"), ("0.1", 8, "0.8")]
)
def test_a_limit_that_is_reached_exactly_stops_the_next_paid_step(
    operator: Any, each: str, times: int, limit: str
) -> None:
    """VIEW-12: with floats the sums would stay just under the limit."""
    task = start_task("paid", {"items": times + 2, "mode": each}, user=operator, limit_usd=Decimal(limit))
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.spent_usd, task.reserved_usd) == (Decimal(limit), 0)
    assert (task.status, task.step_counts["look"]) == ("blocked", {"done": times, "pending": 2})
    assert Checkpoint.objects.filter(task=task, kind="budget", data__warning=80).count() == 1


def test_a_task_without_money_says_so_once_however_often_it_is_looked_at(operator: Any) -> None:
    task = start_task("paid", {"items": 3, "mode": "0.40"}, user=operator, limit_usd="1")
    for _ in range(3):
        work.run_task(task.pk)
    told = Checkpoint.objects.filter(task=task, kind="budget", data__reached=True)
    assert [(row.item_key, row.data["needed_micro"]) for row in told] == [("item_003", 400_000)]


def test_ten_and_seventy_cents_reach_a_limit_of_eighty() -> None:
    """VIEW-12."""
    step = make_step(make_item(make_task(limit_micro=800_000)))
    for amount in ("0.10", "0.70"):
        with lifecycle.changing(step.task_id, "test") as change:
            budget.charge(change, step, step.item, Usage(amount), amount)
    task = Task.objects.get(pk=step.task_id)
    assert (str(task.spent_usd), budget.left_micro(task)) == ("0.80", 0)


def test_what_a_step_reports_while_it_runs_is_charged_once(operator: Any) -> None:
    task = start_task("dear", {"items": 4}, user=operator)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.spent_usd == Decimal("0.28")
    assert LedgerEntry.objects.filter(task=task).count() == 8
    assert list(differences(task)) == []


def test_costs_beyond_the_estimate_stop_at_the_limit_plus_what_was_in_the_air(operator: Any) -> None:
    task = start_task("dear", {"items": 20}, user=operator, limit_usd=Decimal("0.30"))
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.status == "blocked"
    assert Decimal("0.25") < task.spent_usd <= Decimal("0.30") + 3 * Decimal("0.02")
    assert task.reserved_micro == 0
    assert list(differences(task)) == []


def test_eight_workers_never_pass_the_limit_by_more_than_what_is_in_the_air(operator: Any) -> None:
    """Each takes 0.02 USD more than was set aside for it; at most 24 are in the air."""
    limit, in_the_air = 10_000_000, 24
    task = start_task("dearer", {"items": 200}, user=operator, limit_usd="10")
    workers = [Background(work.until_idle, task.pk) for _ in range(8)]
    seen: list[tuple[int, int]] = []
    while any(one.thread.is_alive() for one in workers):
        seen += Task.objects.filter(pk=task.pk).values_list("spent_micro", "reserved_micro")
        time.sleep(0.01)
    for one in workers:
        one.end()
    task.refresh_from_db()
    assert (task.status, task.reserved_micro, list(differences(task))) == ("blocked", 0, [])
    assert limit - 50_000 < task.spent_micro <= limit + in_the_air * 20_000
    assert max(spent + reserved for spent, reserved in seen) <= limit + in_the_air * 30_000
    assert any(reserved for _spent, reserved in seen)
    assert task.spent_micro == 70_000 * task.step_counts["look"]["done"]


@pytest.mark.parametrize("amount", ["nan", "-0.01", "Infinity", "a lot", "1e12"])
def test_what_is_no_amount_is_refused_by_the_name_of_its_field(amount: str) -> None:
    with pytest.raises(BadInput, match=r"usage\.usd: "):
        budget.checked(Usage(amount))
