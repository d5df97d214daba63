"""Workflows of every kind, carried out to their end in this process."""

from typing import Any

import pytest

from taskboard.engine import work
from taskboard.models import Checkpoint, Item, Step, Task
from taskboard.start import start_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def run(user: Any, workflow: str, **params: Any) -> Task:
    limit = params.pop("limit", None)
    task = start_task(workflow, params, user=user, limit_usd=limit)
    work.until_idle(task.pk)
    task.refresh_from_db()
    return task


def steps(task: Task, item: str = "item_001") -> dict[str, str]:
    current = Step.objects.current().filter(task=task, item__key=item)
    return dict(current.values_list("name", "status"))


def test_it_carries_every_item_through_every_step(operator: Any) -> None:
    task = run(operator, "linear", items=5)
    assert (task.status, task.item_counts) == ("completed", {"done": 5})
    assert task.step_counts == {name: {"done": 5} for name in ("look", "write", "tell")}
    assert task.last_completed_at == Step.objects.filter(task=task).latest("finished_at").finished_at
    assert sorted(World().keys()) == sorted(
        f"{task.public_id}:item_00{n}:{step}" for n in range(1, 6) for step in ("write", "tell")
    )


def test_the_journal_has_no_gaps_and_tells_intent_acceptance_and_result(operator: Any) -> None:
    task = run(operator, "linear", items=3)
    rows = list(Checkpoint.objects.filter(task=task).order_by("ordinal"))
    assert [row.ordinal for row in rows] == list(range(1, task.last_ordinal + 1))
    told = [row.kind for row in rows if row.item_key == "item_002" and row.step == "write"]
    assert told == ["intent", "executed", "result"]


def test_accepted_and_verified_are_different_facts(operator: Any) -> None:
    task = run(operator, "linear", items=1)
    written, told = (Step.objects.get(task=task, name=name) for name in ("write", "tell"))
    assert written.verified_at is not None
    assert written.verified_how.endswith("reads back")
    assert told.verified_at is None
    assert told.executed_at is not None


@pytest.mark.parametrize(
    ("mode", "status", "effects"),
    [
        ("done", "done", 1),
        ("retry", "done", 1),
        ("not_sent", "failed", 0),
        ("answer_lost", "done", 1),
        ("nothing_done", "failed", 0),
        ("give_up", "failed", 0),
        ("skip", "skipped", 0),
        ("nonsense", "failed", 0),
        ("odd", "done", 1),
        ("go_back", "blocked", 0),
    ],
)
def test_every_answer_of_a_write_ends_as_it_should(
    operator: Any, mode: str, status: str, effects: int
) -> None:
    task = run(operator, "moody", items=1, mode=mode)
    assert steps(task)["act"] == status, Step.objects.get(task=task, name="act", status=status).error
    assert len(World().keys()) == effects


def test_what_a_step_returns_is_cleaned_and_noted(operator: Any) -> None:
    task = run(operator, "moody", items=1, mode="odd")
    act = Step.objects.get(task=task, name="act")
    assert (act.summary, act.outputs) == ("a\ufffdb \ufffd", {"\ufffdk": "NaN", "x": ["Infinity"]})
    assert Checkpoint.objects.get(task=task, step="act", kind="result").data["notes"]


def test_an_outcome_that_cannot_be_looked_up_is_left_to_a_person(operator: Any) -> None:
    task = run(operator, "blind", items=2)
    assert task.status == "blocked"
    assert steps(task) == {"shout": "unknown"}
    assert task.item_counts == {"blocked": 2}
    assert len(World().keys()) == 2
    work.until_idle(task.pk)
    assert len(World().keys()) == 2


def test_it_asks_a_person_and_waits(operator: Any) -> None:
    task = run(operator, "asking", items=2)
    assert task.status == "waiting"
    assert task.item_counts == {"waiting_approval": 2}
    assert World().keys() == []


def test_side_branches_join_and_whole_task_steps_come_when_all_items_are_there(operator: Any) -> None:
    task = run(operator, "diamond", items=3)
    assert task.status == "completed"
    assert steps(task, "item_002") == {"start": "done", "left": "done", "right": "skipped", "join": "done"}
    assert Step.objects.get(task=task, name="join", item__key="item_001").summary == "left and right"
    assert steps(task, "_task") == {"middle": "done", "report": "done"}
    assert Step.objects.get(task=task, name="middle").summary == "3 items"
    assert task.item_counts == {"done": 3}


def test_it_never_spends_more_than_the_limit(operator: Any) -> None:
    task = run(operator, "paid", items=12, limit="0.80")
    assert (task.status, task.spent_micro, task.reserved_micro) == ("blocked", 800_000, 0)
    assert task.step_counts["look"] == {"done": 8, "pending": 4}


def test_a_task_without_items_is_complete(operator: Any) -> None:
    task = run(operator, "linear", items=0)
    assert (task.status, Item.objects.filter(task=task).count()) == ("completed", 0)
