"""After a restore every write is looked up before it is sent: what was done since the backup is not done twice."""

from typing import Any

import pytest
from django.utils import timezone

from approvals.models import Delivery, Notice, Webhook
from taskboard import desk, lifting, notices, standby
from taskboard.engine import work
from taskboard.models import Installation, Step, StepStatus, Task
from taskboard.models.task import LookFirst
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests.factories import make_approval, make_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def restored(user: Any, workflow: str, unsure: LookFirst = LookFirst.ASK) -> Task:
    """A task whose first item has only been read, as the backup has it; then the stand-by is lifted."""
    task = start_task(workflow, {"items": 2}, user=user)
    standby.stands_by()
    Installation.objects.update(since=timezone.now(), why="restored")
    lifting.lift("admin", drop=True, unsure=unsure)
    return Task.objects.get(pk=task.pk)


def test_what_the_original_did_after_the_backup_is_found_and_not_done_again(operator: Any) -> None:
    task = restored(operator, "linear")
    before = World().do(f"{task.public_id}:item_001:write")
    work.until_idle(task.pk)
    written = Step.objects.get(task=task, item__key="item_001", name="write")
    assert (written.status, written.external_id) == ("done", before)
    assert len(World().keys()) == len(set(World().keys())) == 4


def test_a_person_is_asked_about_what_cannot_be_looked_up_once(operator: Any) -> None:
    task = restored(operator, "blind")
    work.until_idle(task.pk)
    assert World().keys() == []
    step = Step.objects.filter(task=task).order_by("pk")[0]
    assert (step.status, step.error_class) == ("unknown", "Restored")
    assert step.whether_sent == "Not sent from here: it may have been done after the backup."
    desk.did_not_happen(step, operator, str(step.idempotency_key))
    work.until_idle(task.pk)
    assert World().keys() == [step.idempotency_key]


def test_it_can_be_told_to_send_what_cannot_be_looked_up(operator: Any) -> None:
    task = restored(operator, "blind", LookFirst.SEND)
    work.until_idle(task.pk)
    assert len(World().keys()) == 2


def test_a_task_that_was_never_restored_asks_nobody_before(operator: Any) -> None:
    task = start_task("linear", {"items": 1}, user=operator)
    World().do(f"{task.public_id}:item_001:write")
    work.until_idle(task.pk)
    assert World().keys().count(f"{task.public_id}:item_001:write") == 2


def test_a_repair_by_a_person_looks_nothing_up(operator: Any, admin: Any) -> None:
    task = start_task("linear", {"items": 1}, user=operator)
    standby.begin(admin, "a repair")
    lifting.lift(admin, drop=False, unsure=LookFirst.ASK)
    assert Task.objects.get(pk=task.pk).look_first == ""


def test_the_journal_of_each_open_task_says_so(operator: Any) -> None:
    task = restored(operator, "linear")
    assert "Restored" in task.journal.order_by("-ordinal")[0].data["text"]
    make_task(status="completed")
    assert Task.objects.filter(look_first="ask").count() == 1


def test_old_messages_are_dropped_and_no_sweep_finds_them_again(operator: Any, manager: Any) -> None:
    Webhook.objects.create(name="chat", url="https://hooks.example.org/", secret="whsec_" + "A" * 32)
    make_approval()
    Task.objects.update(untold="waiting")
    standby.stands_by()
    Installation.objects.update(since=timezone.now(), why="restored")
    lifting.lift("admin", drop=True, unsure=LookFirst.ASK)
    sweep()
    assert not Notice.objects.filter(settled_at=None).exists()
    assert not Delivery.objects.filter(settled_at=None).exists()
    assert notices.tell_starters() == 0


def test_what_is_due_is_told_by_step(operator: Any) -> None:
    task = start_task("linear", {"items": 3}, user=operator)
    work.run_task(task.pk, seconds=0)
    due = lifting.waiting(timezone.now())
    assert due.tasks == 1
    assert [(one.step, one.status, one.count) for one in due.steps] == [("look", StepStatus.PENDING, 3)]
