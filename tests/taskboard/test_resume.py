"""The eight steps, and the brief that they leave."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard.engine import work
from taskboard.errors import WrongState
from taskboard.models import Checkpoint, Instruction, Item, Risk, Step, Task
from taskboard.resume import brief
from taskboard.resume.run import resume_task
from taskboard.resume.steps import IN_ORDER
from taskboard.start import start_task
from tests import long_workflows  # noqa: F401 registers them
from tests.factories import NOW, make_item, make_step, make_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(operator: Any) -> Task:
    task = start_task("asking", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    return task


def test_each_step_leaves_what_it_found(waiting: Task) -> None:
    resume_task(waiting, "ops")
    rows = Checkpoint.objects.filter(task=waiting, kind="resume")
    told = [row.data["step"] for row in rows if "step" in row.data]
    quiet = [name for row in rows for name in row.data.get("nothing_found", ())]
    names = [step.__name__ for step in IN_ORDER]
    assert sorted(told + quiet) == sorted(names)
    assert told == [name for name in names if name in told]
    assert {row.actor for row in rows} == {"ops"}


def test_a_restart_is_counted_once(waiting: Task) -> None:
    resume_task(waiting, "ops")
    waiting.refresh_from_db()
    assert (waiting.restart_count, waiting.status) == (1, "waiting")


def test_once_it_is_through_the_next_one_may(waiting: Task) -> None:
    resume_task(waiting, "ops")
    resume_task(waiting, "ops")
    waiting.refresh_from_db()
    assert (waiting.restart_count, waiting.resuming_until) == (2, None)


def test_there_is_one_resumer_at_a_time(waiting: Task) -> None:
    Task.objects.filter(pk=waiting.pk).update(resuming_until=timezone.now() + timedelta(seconds=20))
    with pytest.raises(WrongState, match="is being resumed right now"):
        resume_task(waiting, "ops")


def test_one_that_died_in_a_resume_keeps_nobody_out_for_ever(waiting: Task) -> None:
    Task.objects.filter(pk=waiting.pk).update(resuming_until=timezone.now() - timedelta(seconds=1))
    resume_task(waiting, "ops")
    assert Task.objects.get(pk=waiting.pk).restart_count == 1


def test_a_finished_task_has_nothing_to_resume(operator: Any) -> None:
    task = start_task("linear", {"items": 1}, user=operator)
    work.until_idle(task.pk)
    with pytest.raises(WrongState, match="there is nothing to resume"):
        resume_task(task, "ops")


def test_the_brief_keeps_to_its_size_and_to_its_sections() -> None:
    long = "a very long sentence with ümläuts and 漢字 " * 400
    task = make_task(goal=long, plan=[long] * 5, says=long, brief_note=long)
    for number in range(60):
        item = make_item(task, status="blocked", stage=long[:100])
        make_step(item, "write", status="done", idempotency_key=f"k{number}", external_id=f"T-{number}")
    for _ in range(30):
        Risk.objects.create(task=task, text=long, raised_by="step write", raised_at=NOW)
        Instruction.objects.create(task=task, position=1, text=long, added_by="ops", added_at=NOW)
    text = brief.write(Task.objects.get(pk=task.pk))
    assert len(text.encode()) <= brief.MOST_BYTES
    for title in ("Goal", "Progress", "Must not be done again", "Open risks", "Instructions from people"):
        assert f"## {title}\n" in text


def test_a_fact_that_is_too_old_is_read_again_before_the_write_that_rests_on_it(operator: Any) -> None:
    task = start_task("stale", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    Step.objects.filter(task=task, name="read", item__key="item_001").update(
        checked_at=timezone.now() - timedelta(hours=5)
    )
    Step.objects.filter(task=task, name="act", status="pending").update(due_at=None)
    resume_task(task, "ops")
    found = Checkpoint.objects.get(task=task, kind="resume", data__step="refresh_facts").data["found"]
    assert found["read_again"] == ["item_001.read"]
    work.until_idle(task.pk)
    assert Step.objects.get(task=task, name="read", item__key="item_001", revision=2).status == "done"
    assert Item.objects.get(task=task, key="item_001").go_backs == 0
    assert World().keys() == []
