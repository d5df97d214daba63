"""What a killed attempt did not report is charged as an estimate, and gives way to the truth."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taskboard import budget, lifecycle, summary, usage
from taskboard.document import export
from taskboard.engine import owner, work
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.outcomes import Usage
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.sweep import sweep
from tests import paid_workflows  # noqa: F401 registers them
from tests.background import working_on
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)


def money(task: Task) -> tuple[str, str, str]:
    """Spent, how much of it is estimated, reserved."""
    assert list(differences(task)) == []
    values = summary.as_values(Task.objects.get(pk=task.pk))["budget"]
    return values["spent_usd"], values["estimated_usd"], values["reserved_usd"]


def begin(task: Task, *, spends: str = "") -> Step:
    """A step in the hands of a worker that is gone, with 0.10 USD reserved."""
    gone, past = "elsewhere/1/1@1", timezone.now() - timedelta(minutes=1)
    own = {"lease_owner": gone, "lease_until": past, "reserved_micro": 100_000, "attempt": 1}
    step = make_step(make_item(task), "look", status="started", **own)
    with lifecycle.changing(task.pk, "test") as change:
        change.reserve(100_000)
        change.record("intent", item=step.item.key, step="look", attempt=1, data={"to": "started"})
        if spends:
            budget.charge(change, step, step.item, Usage(spends), "call")
    return step


@pytest.mark.parametrize(("spends", "estimated"), [("", "0.10"), ("0.03", "0.07"), ("0.25", "0.00")])
def test_a_killed_attempt_costs_its_reservation_less_what_it_reported(spends: str, estimated: str) -> None:
    task = make_task(workflow="paid")
    step = begin(task, spends=spends)
    assert sweep().resumed == 1
    step.refresh_from_db()
    assert step.status == "pending"
    assert money(task) == (str(max(Decimal("0.10"), Decimal(spends or 0))), estimated, "0.00")


def test_a_second_sweep_does_not_charge_it_again() -> None:
    task = make_task(workflow="paid")
    step = begin(task)
    sweep()
    past = timezone.now() - timedelta(minutes=1)
    Step.objects.filter(pk=step.pk).update(status="started", lease_owner="", lease_until=past)
    with lifecycle.changing(task.pk, "test") as change:
        change.count_step("look", "pending", "started")
        change.record("note", item=step.item.key, step="look", data={"to": "started"})
    sweep()
    assert money(task) == ("0.10", "0.10", "0.00")


def others_take_over(monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    Step.objects.filter(task=task, status="started").update(lease_until=timezone.now() - timedelta(minutes=1))
    monkeypatch.setattr(owner, "me", lambda: "elsewhere/4026531836/1@1")
    assert sweep().resumed == 1


@pytest.mark.parametrize(("mode", "spent"), [("0.04", "0.04"), ("0.30", "0.30"), ("free", "0.00")])
def test_a_late_report_takes_the_place_of_the_estimate(
    operator: Any, monkeypatch: pytest.MonkeyPatch, mode: str, spent: str
) -> None:
    task = start_task("late-and-dear", {"items": 1, "mode": mode}, user=operator)
    with working_on(task):
        others_take_over(monkeypatch, task)
        assert money(task) == ("0.10", "0.10", "0.00")
    assert money(task) == (spent, "0.00", "0.00")
    rows = LedgerEntry.objects.filter(task=task, estimated=True).values_list("amount_micro", flat=True)
    assert list(rows) == [100_000, -100_000]
    told = Checkpoint.objects.filter(task=task, kind="budget")
    assert [row.data["estimated_usd"] for row in told] == ["0.10", "-0.10"]


def test_what_a_cancelled_step_may_cost_is_estimated_until_it_says(operator: Any) -> None:
    task = start_task("late-and-dear", {"items": 1, "mode": "0.04"}, user=operator)
    with working_on(task):
        steer.cancel(task, operator)
        assert money(task) == ("0.10", "0.10", "0.00")
    assert money(task) == ("0.04", "0.00", "0.00")


def test_an_estimate_can_reach_the_limit(operator: Any) -> None:
    task = make_task(workflow="paid", params={"mode": ""}, limit_micro=150_000)
    begin(task)
    sweep()
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, money(task)) == ("blocked", ("0.10", "0.10", "0.00"))


def test_it_is_told_per_model_and_in_the_document() -> None:
    task = make_task(workflow="paid")
    step = begin(task)
    with lifecycle.changing(task.pk, "test") as change:
        budget.charge(change, step, step.item, Usage("0.02", model="zoo-1", calls=2, tokens_in=7), "call")
    sweep()
    named = {entry["model"]: entry for entry in usage.per_model(task)}
    assert (named[""]["usd"], named[""]["estimated_usd"]) == ("0.08", "0.08")
    assert (named["zoo-1"]["usd"], named["zoo-1"]["calls"], named["zoo-1"]["tokens_in"]) == ("0.02", 2, 7)
    assert "without a model: 0.08 USD (0.08 USD of it estimated)" in "\n".join(
        summary.as_lines(summary.as_values(Task.objects.get(pk=task.pk)))
    )
    assert {"step": "look", "estimated": True, "usd": 0.08} in export.of(task)["ledger"]


AMOUNT = st.integers(0, 300_000)
REPORTS = st.lists(st.tuples(AMOUNT, st.sampled_from(["a", "b", "c", "spend:~lost"])), max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(reserved=AMOUNT, before=REPORTS, after=REPORTS, result=st.none() | AMOUNT)
def test_whatever_is_reported_before_and_after_a_kill_the_sums_are_right(
    reserved: int, before: list[tuple[int, str]], after: list[tuple[int, str]], result: int | None
) -> None:
    step = make_step(make_item(make_task()), "look", status="started", attempt=1, reserved_micro=reserved)
    task, known = step.task, {}
    with lifecycle.changing(task.pk, "test") as change:
        change.reserve(reserved)
        change.record("note", item=step.item.key, step="look", data={"to": "started"})
        for micro, source in before:
            budget.charge(change, step, step.item, Usage(budget.to_usd(micro)), source)
            known.setdefault(source, micro)
        budget.settle_lost(change, step, step.item)
    guessed = max(0, reserved - sum(known.values()))
    assert _sums(task) == (sum(known.values()) + guessed, guessed)
    for micro, source in after:
        with lifecycle.changing(task.pk, "test") as change:
            budget.charge_late(change, step, step.item, Usage(budget.to_usd(micro)), source)
        guessed -= min(guessed, 0 if source in known else micro)
        known.setdefault(source, micro)
        assert _sums(task) == (sum(known.values()) + guessed, guessed)
    if result is not None:
        with lifecycle.changing(task.pk, "test") as change:
            last = Usage(budget.to_usd(result))
            budget.charge_late(change, step, step.item, last, "result", last=True)
        assert _sums(task) == (sum(known.values()) + result, 0)
    assert money(task)[2] == "0.00"


def _sums(task: Task) -> tuple[int, int]:
    return Task.objects.get(pk=task.pk).spent_micro, usage.estimated_micro(task)
