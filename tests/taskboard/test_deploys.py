"""A deploy in mid-task: what differs is told, and a person says whether to go on."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard import versions, workflow
from taskboard.engine import deploys, read, work
from taskboard.errors import WorkflowChanged
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.stop import stop_after
from tests.conftest import logged_in
from tests.deployed_workflows import Before, Longer, Reworded, Shorter, deployed
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def described(cls: type) -> list[dict[str, Any]]:
    with deployed(cls):
        return versions.described(workflow.get("deployed").steps)


def test_only_the_code_differs() -> None:
    differs = versions.compare(described(Before), described(Reworded))
    assert (differs.asks, differs.code, differs.sentences) == (False, ["look"], [])


def test_a_new_step_and_a_changed_option_are_named() -> None:
    differs = versions.compare(described(Before), described(Longer))
    assert differs.sentences == ["The step weigh is new.", "The step write has changed: after."]
    assert versions.compare(described(Longer), described(Before)).gone == ["weigh"]


def test_another_order_is_named() -> None:
    steps = described(Before)
    assert versions.compare(steps, steps[::-1]).sentences == ["The steps come in another order."]


@pytest.fixture
def begun(operator: Any) -> Task:
    """Running, with nothing done yet."""
    task = start_task("deployed", {"items": 2}, user=operator)
    assert read.read_items(task.pk, work.stopping)
    return task


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def test_other_code_within_a_step_is_noted_once_and_the_task_goes_on(begun: Task) -> None:
    with deployed(Reworded):
        work.until_idle(begun.pk)
        work.until_idle(begun.pk)
    assert fresh(begun).status == "completed"
    (note,) = Checkpoint.objects.filter(task=begun, kind="note")
    assert note.data["workflow_version"]["code"] == ["look"]


def test_a_changed_declaration_pauses_the_task_with_what_differs(begun: Task) -> None:
    with deployed(Longer):
        work.until_idle(begun.pk)
        task = fresh(begun)
        assert (task.status, World().keys()) == ("paused", [])
        assert "The step weigh is new. The step write has changed: after." in task.reason
        assert not deploys.fits(task)
    assert Checkpoint.objects.filter(task=begun, kind="note").count() == 1


def test_a_resume_asks_first(begun: Task, operator: Any) -> None:
    with deployed(Longer):
        work.until_idle(begun.pk)
        with pytest.raises(WorkflowChanged, match=r"The step weigh is new\."):
            steer.resume(begun, operator)
        assert fresh(begun).restart_count == 0
        steer.resume(begun, operator, accept_version=True)
        work.until_idle(begun.pk)
    assert fresh(begun).status == "completed"
    steps = Step.objects.filter(task=begun, item__key="item_001").order_by("finished_at")
    assert list(steps.values_list("name", flat=True)) == ["look", "weigh", "write"]
    (row,) = Checkpoint.objects.filter(task=begun, kind="resume", data__step="check_and_count")
    assert row.data["found"]["workflow_version"]["differs"][0] == "The step weigh is new."


def test_what_was_planned_waits_for_the_step_that_comes_before_it_now(operator: Any) -> None:
    task = start_task("deployed", {"items": 2}, user=operator)
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    assert Step.objects.filter(task=task, name="write", status="pending").count() == 2
    with deployed(Longer):
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    told = Step.objects.filter(task=task, item__key="item_001").order_by("pk").values_list("name", "status")
    assert list(told) == [("look", "done"), ("write", "superseded"), ("weigh", "done"), ("write", "done")]
    assert len(World().keys()) == 2


def test_planned_steps_that_are_gone_are_not_done(operator: Any) -> None:
    task = start_task("deployed", {"items": 1}, user=operator)
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    with deployed(Shorter):
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    assert (fresh(task).status, World().keys()) == ("completed", [])


def test_the_command_lists_what_differs(begun: Task) -> None:
    with deployed(Longer):
        with pytest.raises(CommandError, match=r"weigh is new\.\n(.|\n)*--accept-version"):
            call_command("resume", begun.public_id)
        out = StringIO()
        call_command("resume", begun.public_id, "--accept-version", stdout=out)
    assert "The step weigh is new." in out.getvalue()


def test_the_button_says_that_it_is_a_new_version(begun: Task, operator: Any) -> None:
    client = logged_in(operator)
    with deployed(Longer):
        work.until_idle(begun.pk)
        page = client.get(begun.get_absolute_url()).content.decode()
        assert "Go on with the new version" in page
        client.post(f"{begun.get_absolute_url()}resume/", {"accept_version": "1"})
        assert fresh(begun).status == "running"
        assert "Go on with the new version" not in client.get(begun.get_absolute_url()).content.decode()
