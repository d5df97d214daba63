"""The question to raise a budget: an amount is part of the answer."""

import pytest
from django.contrib.auth.models import User

from approvals import decisions, resumer
from approvals.models import Approval
from taskboard import lifecycle
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind, StepStatus, Task, TaskStatus
from tests.factories import make_item, make_step, make_task


@pytest.fixture
def asked(db: None) -> Approval:
    money = {"limit_micro": 20_000_000, "spent_micro": 19_900_000, "out_of_budget": True}
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED, **money)
    make_step(make_item(task, status="running"), "look", status=StepStatus.PENDING)
    with lifecycle.changing(task.pk, "worker") as change:
        gate().ask_for_budget(change, 200_000)
        gate().ask_for_budget(change, 200_000)
    return Approval.objects.get()


def test_it_is_asked_once_and_proposes_an_amount(asked: Approval) -> None:
    assert (asked.kind, asked.group_name, asked.step) == ("budget", "Managers", None)
    assert asked.payload["limit_usd"] == "25.00"
    assert asked.amount_micro == 5_000_000


def test_a_yes_raises_the_limit_and_the_task_goes_on(asked: Approval, manager: User) -> None:
    decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, {"limit_usd": "30"})
    resumer.pick_up(asked.pk)
    task = Task.objects.get()
    assert (task.limit_micro, task.out_of_budget, task.status) == (30_000_000, False, "running")
    row = Checkpoint.objects.get(kind=Kind.BUDGET)
    assert (row.data["from_usd"], row.data["limit_usd"]) == ("20.00", "30.00")


def test_a_no_leaves_it_blocked(asked: Approval, manager: User) -> None:
    decisions.decide(asked.pk, manager, "reject", "enough", asked.payload_sha256)
    resumer.pick_up(asked.pk)
    task = Task.objects.get()
    assert (task.limit_micro, task.status) == (20_000_000, "blocked")


@pytest.mark.parametrize("amount", ["20", "0", "-5", "NaN", "many", "", "1e400"])
def test_an_amount_that_helps_nobody_is_refused(asked: Approval, manager: User, amount: str) -> None:
    with pytest.raises(BadInput):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, {"limit_usd": amount})
    asked.refresh_from_db()
    assert asked.status == "open"
