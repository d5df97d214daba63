"""Queue, risks and budget, by function and by command."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from approvals.models import Approval
from taskboard.engine import work
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from taskboard.models import Checkpoint, Risk, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import queue, risks, steer
from tests.factories import NOW, make_item, make_task

pytestmark = pytest.mark.django_db(transaction=True)


def run(name: str, *words: str) -> str:
    out = StringIO()
    call_command(name, *words, stdout=out)
    return out.getvalue()


# --- Queue ----------------------------------------------------------------------------------------


@pytest.fixture
def line(operator: Any) -> list[Task]:
    return [start_task("linear", {"items": 1}, user=operator, goal=name) for name in "abc"]


def order() -> list[str]:
    return [task.goal for task in queue.waiting()]


def test_a_waiting_task_is_moved_ahead(operator: Any, line: list[Task]) -> None:
    queue.move(line[2], operator, 1)
    assert order() == ["c", "a", "b"]
    queue.move(line[2], operator, 99)
    assert order() == ["a", "b", "c"]
    row = Checkpoint.objects.filter(task=line[2], kind="person").first()
    assert row is not None
    assert (row.actor, row.data) == ("ops", {"did": "move in the queue", "place": 1})


def test_a_task_is_taken_out_for_good(operator: Any, line: list[Task]) -> None:
    queue.remove(line[0], operator)
    assert order() == ["b", "c"]
    assert Task.objects.get(pk=line[0].pk).status == "cancelled"


def test_what_does_not_wait_has_no_place(operator: Any, manager: Any, line: list[Task]) -> None:
    running = make_task()
    for verb in (lambda: queue.move(running, operator, 1), lambda: queue.remove(running, operator)):
        with pytest.raises(WrongState, match="does not wait in the queue"):
            verb()
    with pytest.raises(NotAllowed):
        queue.move(line[0], manager, 1)


def test_the_command_shows_and_changes_the_order(operator: Any, line: list[Task]) -> None:
    assert run("queue").splitlines()[0] == f"1. {line[0].public_id} (ops): a"
    told = json.loads(run("queue", "--move", line[1].public_id, "1", "--as=ops", "--json"))
    assert [one["goal"] for one in told] == ["b", "a", "c"]
    assert "b" not in run("queue", "--remove", line[1].public_id, "--as=ops").split()
    with pytest.raises(CommandError, match="Say who"):
        run("queue", "--remove", line[0].public_id)
    with pytest.raises(CommandError, match="A position is a number"):
        run("queue", "--move", line[0].public_id, "first", "--as=ops")


def test_an_empty_queue_says_so(operator: Any) -> None:
    assert run("queue") == "No task waits.\n"


# --- Risks ----------------------------------------------------------------------------------------


@pytest.fixture
def risk() -> Risk:
    item = make_item(make_task())
    text = "The form loses its data"
    return Risk.objects.create(task=item.task, item=item, text=text, raised_by="step look", raised_at=NOW)


def test_a_risk_of_another_task_is_not_found(risk: Risk) -> None:
    assert risks.find(risk.task, risk.pk) == risk
    with pytest.raises(NotFound, match="no such risk in this task"):
        risks.find(make_task(), risk.pk)


def test_a_risk_is_closed_once_with_a_reason(operator: Any, risk: Risk) -> None:
    with pytest.raises(BadInput, match="Say why this risk is closed"):
        risks.close(risk, operator, " ")
    risks.close(risk, operator, "mended")
    risk.refresh_from_db()
    assert (risk.closed_by, risk.closed_why) == ("ops", "mended")
    row = Checkpoint.objects.get(task=risk.task, kind="risk")
    assert (row.item_key, row.data["did"], row.data["reason"]) == ("page_001", "close risk", "mended")
    with pytest.raises(WrongState, match="closed already"):
        risks.close(risk, operator, "again")


def test_the_command_lists_and_closes(operator: Any, risk: Risk) -> None:
    listed = run("risks", risk.task.public_id)
    assert listed == f"{risk.pk}. medium at page_001: The form loses its data (step look)\n"
    closed = run("risks", risk.task.public_id, "--close", str(risk.pk), "--why", "mended", "--as=ops")
    assert closed == "No risk is open.\n"
    with pytest.raises(CommandError, match="no such risk"):
        run("risks", risk.task.public_id, "--close", "999", "--why", "x", "--as=ops")


# --- Budget ---------------------------------------------------------------------------------------


def test_a_new_budget_takes_back_the_question_for_one(operator: Any, manager: Any) -> None:
    task = start_task("paid", {"items": 3}, user=operator, limit_usd="0.10")  # type: ignore[arg-type]
    work.until_idle(task.pk)
    assert Task.objects.get(pk=task.pk).status == "blocked"
    steer.change_budget(task, manager, "5")
    asked = Approval.objects.get(task=task)
    assert (asked.status, asked.reason) == ("withdrawn", "manager changed the budget.")
    work.until_idle(task.pk)
    assert Task.objects.get(pk=task.pk).status == "completed"
    assert list(differences(task)) == []


def test_the_command_changes_and_removes_the_limit(manager: Any) -> None:
    task = make_task()
    told = run("budget", task.public_id, "7.5", "--as=manager")
    assert told == f"{task.public_id} has a limit of 7.50 USD; 0.00 USD are spent.\n"
    assert "has no limit" in run("budget", task.public_id, "none", "--as=manager")
    with pytest.raises(CommandError, match="is not an amount"):
        run("budget", task.public_id, "much", "--as=manager")


def test_who_may_only_ask_cannot_change_it(operator: Any) -> None:
    with pytest.raises(CommandError, match="You do not have the right"):
        run("budget", make_task().public_id, "7", "--as=ops")
