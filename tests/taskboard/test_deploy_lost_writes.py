"""A deploy while writes have lost their worker; and a rolling one, in which old and new processes run side by side."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import lifecycle
from taskboard.engine import deploys, presence, work
from taskboard.models import Checkpoint, Heartbeat, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.stop import stop_after
from taskboard.sweep import sweep
from tests.deployed_workflows import Further, Longer, Reworded, Shorter, deployed
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def task(operator: Any) -> Task:
    """Two items, looked at; nothing written yet."""
    task = start_task("deployed", {"items": 2}, user=operator)
    stop_after(task, operator, step="look")
    work.until_idle(task.pk)
    steer.resume(task, operator)
    return task


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def lose(task: Task, name: str, number: int = 2, effects: bool = True) -> None:
    """The workers of these steps died; the writes may have had their effects."""
    with lifecycle.changing(task.pk, "worker") as change:
        steps = Step.objects.filter(task=task, name=name).order_by("position")[:number]
        for step in steps:
            lost = {"attempt": 1, "lease_owner": "elsewhere/1/1@1", "lease_until": change.now}
            lifecycle.move_steps(change, [lifecycle.StepMove(step, lifecycle.S.STARTED, dict(lost))])
            change.record("intent", item=step.item.key, step=name, attempt=1, data={"to": "started"})
            if effects:
                World().do(str(step.idempotency_key))


def writes(task: Task) -> list[tuple[str, str]]:
    steps = Step.objects.current().filter(task=task, name="write").order_by("position")
    return [(step.status, step.external_id) for step in steps]


def test_what_they_did_is_found_while_a_person_has_yet_to_say_whether_it_goes_on(
    task: Task, operator: Any
) -> None:
    lose(task, "write")
    with deployed(Further):
        sweep()
        assert fresh(task).status == "paused"
        assert writes(task) == [("started", "E-1"), ("started", "E-2")]
        found = Checkpoint.objects.filter(task=task, kind="executed", data__found=True)
        assert found.count() == 2
        before = fresh(task).last_ordinal
        sweep()
        assert fresh(task).last_ordinal == before
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    assert writes(task) == [("done", "E-1"), ("done", "E-2")]
    assert len(World().keys()) == 2


def test_what_is_not_there_is_not_done_again_before_the_person_says_so(task: Task, operator: Any) -> None:
    lose(task, "write", effects=False)
    with deployed(Further):
        sweep()
        assert (writes(task), World().keys()) == ([("started", "")] * 2, [])
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    assert len(World().keys()) == 2


def test_a_write_whose_own_declaration_has_changed_is_left_alone(task: Task) -> None:
    lose(task, "write")
    with deployed(Longer):
        sweep()
    assert (fresh(task).status, writes(task)) == ("paused", [("started", "")] * 2)


def test_a_write_that_a_deploy_removed_is_a_persons_to_settle(task: Task, operator: Any) -> None:
    lose(task, "write", number=1)
    with deployed(Shorter):
        sweep()
        steer.resume(task, operator, accept_version=True)
        work.until_idle(task.pk)
    step = Step.objects.get(task=task, name="write", item__key="item_001")
    assert (step.status, step.error[:36]) == ("unknown", "The workflow no longer has this step")
    assert fresh(task).status == "blocked"


@pytest.fixture
def grow_old(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on this process is an old one: it began before all that, and a younger worker runs beside it."""

    def old() -> None:
        now = timezone.now()
        monkeypatch.setattr(presence, "BEGAN", now - timedelta(minutes=5))
        Heartbeat.objects.create(owner="young", role="worker", started_at=now, seen_at=now)

    return old


def test_a_rolling_deploy_asks_once(task: Task, operator: Any, grow_old: Callable[[], None]) -> None:
    """Once a person has let it go on, the processes that are on their way out leave it alone."""
    with deployed(Longer):
        assert not deploys.fits(fresh(task))
        steer.resume(task, operator, accept_version=True)
    grow_old()
    assert not work.run_task(task.pk)
    sweep()
    assert fresh(task).status == "running"
    assert Checkpoint.objects.filter(task=task, kind="note").count() == 1


def test_a_deploy_that_is_taken_back_asks_again(
    task: Task, operator: Any, grow_old: Callable[[], None]
) -> None:
    """No younger worker is left: whoever runs now is not on the way out."""
    with deployed(Longer):
        assert not deploys.fits(fresh(task))
        steer.resume(task, operator, accept_version=True)
    grow_old()
    Heartbeat.objects.all().delete()
    assert not deploys.fits(fresh(task))
    assert fresh(task).status == "paused"


def test_old_and_new_processes_work_side_by_side_where_only_code_differs(
    task: Task, grow_old: Callable[[], None]
) -> None:
    with deployed(Reworded):
        assert deploys.fits(fresh(task))
        version = fresh(task).workflow_version
    grow_old()
    assert deploys.fits(fresh(task))
    assert fresh(task).workflow_version == version
    assert Checkpoint.objects.filter(task=task, kind="note").count() == 1
