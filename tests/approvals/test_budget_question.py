"""The question to raise a budget: an amount is part of the answer."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import decisions, resumer
from approvals.errors import AlreadyDecided
from approvals.models import Approval, PolicyOverride
from taskboard import lifecycle
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.models import AuditEntry, Checkpoint, Kind, StepStatus, Task, TaskStatus
from tests.approvals.answers import answer
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task


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


def test_more_than_one_group_may_give_is_not_given_with_the_answer(manager: User) -> None:
    PolicyOverride.objects.create(workflow="linear", step="", above_usd=10, above_group="Administrators")
    money = {"limit_micro": 20_000_000, "spent_micro": 19_900_000, "out_of_budget": True}
    asked = ask(make_task(workflow="linear", status=TaskStatus.BLOCKED, **money), 200_000)
    with pytest.raises(BadInput, match="consent of further people"):
        answer(asked, manager, edited={"limit_usd": "31"})
    assert answer(asked, manager, edited={"limit_usd": "30"}).status == "approved"


def test_an_answer_is_not_taken_back_where_it_was_asked_anew_meanwhile(
    asked: Approval, manager: User
) -> None:
    answer(asked, manager, "reject", "no money", undo_seconds=60)
    with lifecycle.changing(asked.task_id, "worker") as change:
        gate().ask_for_budget(change, 200_000)
    with pytest.raises(AlreadyDecided, match="manager rejected this"):
        decisions.take_back(asked.pk, manager)
    assert Approval.objects.filter(status="open").count() == 1


def out_of_money(mode: str, done: int = 1) -> Task:
    """Of the workflow that pays for each look: some that were paid, and three to come."""
    money = {"limit_micro": 100_000, "spent_micro": 80_000, "out_of_budget": True}
    told: dict[str, Any] = {
        "workflow": "paid",
        "params": {"items": 4, "mode": mode},
        "status": TaskStatus.BLOCKED,
    }
    task = make_task(**told, **money)
    for _ in range(done):
        make_step(make_item(task), "look", status=StepStatus.DONE, cost_micro=80_000)
    for _ in range(3):
        make_step(make_item(task), "look")
    return task


def ask(task: Task, needed_micro: int, paid: int = 0) -> Approval:
    with lifecycle.changing(task.pk, "worker") as change:
        if paid:
            change.count_cost("look", paid)
        gate().ask_for_budget(change, needed_micro)
    return Approval.objects.get(task=task)


def test_it_proposes_what_the_whole_task_will_cost_and_says_why(db: None) -> None:
    asked = ask(out_of_money("0.05"), 80_500, paid=80_000)
    assert (asked.payload["limit_usd"], asked.amount_micro) == ("0.32", 220_000)
    told = {fact["label"]: fact["text"] for fact in asked.evidence}
    assert told["Forecast for the whole task"] == (
        "0.32 USD: 0.08 spent or set aside, 0.24 for what is left at its latest costs."
    )


def test_where_nothing_was_paid_yet_the_estimates_stand_in_and_are_named(db: None) -> None:
    asked = ask(out_of_money("0.333", done=0), 333_000)
    assert asked.payload["limit_usd"] == "1.08"
    assert "1.079 USD" in asked.evidence[1]["text"]
    assert "partly by mere estimates" in asked.evidence[1]["text"]


def test_the_next_step_fits_in_any_case(db: None) -> None:
    asked = ask(out_of_money("0.05"), 500_001, paid=80_000)
    assert asked.payload["limit_usd"] == "0.59"


def test_it_stands_first_in_the_inbox(asked: Approval, manager: User) -> None:
    other = make_approval()
    Approval.objects.filter(pk=other.pk).update(expires_at=asked.requested_at + timedelta(hours=1))
    page = logged_in(manager).get(reverse("approvals:inbox")).content.decode()
    assert page.index(f'id="row-{asked.pk}"') < page.index(f'id="row-{other.pk}"')


def test_a_yes_raises_the_limit_and_the_task_goes_on(asked: Approval, manager: User) -> None:
    decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, {"limit_usd": "30"})
    resumer.pick_up(asked.pk)
    task = Task.objects.get()
    assert (task.limit_micro, task.out_of_budget, task.status) == (30_000_000, False, "running")
    row = Checkpoint.objects.get(kind=Kind.BUDGET)
    assert (row.data["from_usd"], row.data["limit_usd"]) == ("20.00", "30.00")
    told = AuditEntry.objects.get(action="budget")
    assert (told.actor, told.target, told.before) == ("manager", task.public_id, {"limit_usd": "20.00"})
    assert told.after == {"limit_usd": "30.00", "question": asked.pk}


def test_a_yes_lowers_nothing_that_was_raised_further_meanwhile(asked: Approval, manager: User) -> None:
    answer(asked, manager, edited={"limit_usd": "30"})
    Task.objects.update(limit_micro=50_000_000)
    resumer.pick_up(asked.pk)
    task = Task.objects.get()
    assert (task.limit_micro, task.out_of_budget) == (50_000_000, False)


def test_a_no_leaves_it_blocked(asked: Approval, manager: User) -> None:
    decisions.decide(asked.pk, manager, "reject", "enough", asked.payload_sha256)
    resumer.pick_up(asked.pk)
    task = Task.objects.get()
    assert (task.limit_micro, task.status) == (20_000_000, "blocked")


def test_an_empty_amount_is_asked_for(asked: Approval, manager: User) -> None:
    with pytest.raises(BadInput, match=r"Enter the new limit, such as 7\.35"):
        answer(asked, manager, edited={"limit_usd": ""})


@pytest.mark.parametrize("amount", ["20", "0", "-5", "NaN", "many", "", "1e400"])
def test_an_amount_that_helps_nobody_is_refused(asked: Approval, manager: User, amount: str) -> None:
    with pytest.raises(BadInput):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, {"limit_usd": amount})
    asked.refresh_from_db()
    assert asked.status == "open"
