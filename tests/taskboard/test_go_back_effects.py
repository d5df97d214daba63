"""What a go-back makes of an effect that a step had already: keep it, take it back, do it again."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import desk, lifecycle
from taskboard.declaration import undo_name
from taskboard.document import of as exported
from taskboard.engine import advance, goback, work
from taskboard.models import Checkpoint, Effect, Item, Step, StepStatus, Task
from taskboard.models.task import WHOLE_TASK
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import effect_workflows, odd_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)
UNDO = undo_name("change")


def run(user: Any, workflow: str, mode: str, items: int = 1) -> Task:
    task = start_task(workflow, {"items": items, "mode": mode}, user=user)
    work.until_idle(task.pk)
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def test_it_is_taken_back_before_it_is_done_again(operator: Any) -> None:
    task = run(operator, "restorer", "1")
    assert task.status == "completed"
    assert World().texts() == ["change 1", "undo change E-1 old 1", "change 2", "report"]


def test_taking_back_is_a_step_of_its_own_with_its_rows_and_its_key(operator: Any) -> None:
    task = run(operator, "restorer", "2")
    undone = Step.objects.filter(task=task, name=UNDO).order_by("revision")
    prefix = f"{task.public_id}:item_001:{UNDO}"
    assert [(step.status, step.revision, step.idempotency_key) for step in undone] == [
        ("done", 1, prefix), ("done", 2, f"{prefix}:2"),
    ]  # fmt: skip
    told = Checkpoint.objects.filter(task=task, step=UNDO).order_by("ordinal")
    assert [row.kind for row in told] == ["note", "intent", "result"] * 2
    assert told[0].data["reason"] == "The effect of change is taken back."
    assert World().texts() == [
        "change 1", "undo change E-1 old 1", "change 2", "undo change E-3 old 2", "change 3", "report",
    ]  # fmt: skip


def test_many_items_go_back_side_by_side(operator: Any) -> None:
    task = run(operator, "restorer", "1", items=6)
    assert task.item_counts == {"done": 6}
    assert task.step_counts[UNDO] == {"done": 6}
    assert len(World().texts()) == 6 * 3 + 1


def going_back(status: str) -> tuple[Task, Step]:
    """An item that has gone back once, with the step that takes its change back as it stands."""
    task = make_task(workflow="restorer", params={"items": 1, "mode": "0"})
    make_item(task, WHOLE_TASK, position=0)
    item = make_item(task, "item_001", position=1, status="running", stage="look")
    key = f"{task.public_id}:item_001"
    make_step(item, "look", status=StepStatus.SUPERSEDED)
    make_step(item, "change", status=StepStatus.SUPERSEDED, external_id="E-1", executed_at=timezone.now(),
              outputs={"was": "old"}, idempotency_key=f"{key}:change")  # fmt: skip
    make_step(item, "look", revision=2)
    lost = {"lease_owner": "elsewhere/1/1@1", "lease_until": timezone.now() - timedelta(minutes=1)}
    undo = make_step(item, UNDO, status=status, external_id="E-1", idempotency_key=f"{key}:{UNDO}",
                     **(lost if status == "started" else {}))  # fmt: skip
    return task, undo


def test_a_worker_that_dies_while_it_takes_back_leaves_nothing_half_done(operator: Any) -> None:
    task, undo = going_back("started")
    sweep()
    undo.refresh_from_db()
    assert (undo.status, undo.deaths) == ("pending", 1)
    work.until_idle(task.pk)
    assert World().texts()[:2] == ["undo change E-1 old", "change 2"]


def test_as_long_as_it_cannot_be_taken_back_it_is_not_done_again(operator: Any) -> None:
    task, _undo = going_back("failed")
    work.until_idle(task.pk)
    item = Item.objects.get(task=task, position=1)
    assert (item.status, World().texts()) == ("failed", ["report"])
    assert not Step.objects.filter(task=task, name="change", revision=2).exists()


def test_one_that_was_given_up_is_taken_back_too(operator: Any) -> None:
    task = make_task(workflow="restorer", params={"items": 1, "mode": "0"})
    make_item(task, WHOLE_TASK, position=0)
    item = make_item(task, "item_001", position=1, status="blocked", stage="change")
    make_step(item, "look", status=StepStatus.DONE, checked_at=timezone.now())
    lost = make_step(item, "change", status=StepStatus.UNKNOWN, idempotency_key="a:b:change")
    desk.give_up(lost, operator, "nobody knows")
    with lifecycle.changing(task.pk, "test") as change:
        goback.supersede(change, item, "look", "once more")
        advance.follow(change, [item.pk])
    assert Step.objects.get(task=task, name=UNDO).status == "pending"


def test_what_is_kept_is_carried_over(operator: Any) -> None:
    task = run(operator, "rework", "1")
    kept = Step.objects.filter(task=task, name="keep").order_by("revision")
    assert [step.status for step in kept] == ["superseded", "done"]
    assert kept[0].external_id == kept[1].external_id
    calls = World().keys()
    assert sorted(key.split(":")[2] for key in calls) == ["again", "again", "keep"]


@pytest.mark.parametrize(("mode", "calls"), [("same", 1), ("changed", 2)])
def test_what_is_repeated_finds_its_own_effect_if_the_content_is_the_same(
    operator: Any, mode: str, calls: int
) -> None:
    task = run(operator, "repeater", mode)
    assert (task.status, len(World().keys()), Effect.objects.count()) == ("completed", calls, calls)
    newest = Step.objects.current().get(task=task, name="send")
    assert newest.external_id == f"E-{calls}"


def test_pages_and_documents_know_the_step_that_takes_back(operator: Any) -> None:
    task = run(operator, "restorer", "1")
    client, item = logged_in(operator), Item.objects.get(task=task, position=1)
    assert client.get(task.get_absolute_url()).status_code == 200
    assert "Take back: change" in client.get(item.get_absolute_url()).content.decode()
    document = exported(task)
    assert document["items"]["item_001"]["steps"][UNDO]["status"] == "done"


@pytest.mark.parametrize(("name", "status"), [("change", "started"), (UNDO, "started"), (UNDO, "unknown")])
def test_a_write_in_the_air_is_waited_for_also_where_it_takes_one_back(name: str, status: str) -> None:
    item = make_item(make_task(workflow="restorer"))
    check = make_step(item, "check", status="started", attempt=1)
    beside = make_step(item, name, status=status, attempt=1, idempotency_key=f"{item.key}:{name}")
    with lifecycle.changing(item.task_id, "test") as change:
        assert goback.must_wait(change, check, "look")
        Step.objects.filter(pk=beside.pk).update(status="done")
        assert not goback.must_wait(change, check, "look")
        change.touched = False
