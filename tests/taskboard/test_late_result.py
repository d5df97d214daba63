"""A worker that lost its lease writes nothing over the one that took over."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard.engine import owner, reconcile, work
from taskboard.models import Checkpoint, Effect, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.sweep import sweep
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.background import Background, working_on
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


def others_take_over(monkeypatch: pytest.MonkeyPatch, task: Task) -> None:
    """What happens when this process was stopped for longer than its lease."""
    Step.objects.filter(task=task, status="started").update(lease_until=timezone.now() - timedelta(minutes=1))
    monkeypatch.setattr(owner, "me", lambda: "elsewhere/4026531836/1@1")
    assert sweep().resumed == 1


def kinds(task: Task, step: str) -> list[str]:
    return list(Checkpoint.objects.filter(task=task, step=step).values_list("kind", flat=True))


def test_a_late_result_is_journaled_and_not_written(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """CONC-12: refused by its attempt and lease."""
    task = start_task("five", {"items": 1}, user=operator)
    with working_on(task):
        others_take_over(monkeypatch, task)
        assert Step.objects.get(task=task, name="one").status == "done"
    assert kinds(task, "one") == ["intent", "interrupted", "result", "late"]
    late = Checkpoint.objects.get(task=task, kind="late")
    assert late.data["external_id"] == "E-1"
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, len(World().keys())) == ("completed", 2)
    assert list(differences(task)) == []


def test_a_cancelled_step_shows_what_it_did_all_the_same(operator: Any) -> None:
    task = start_task("five", {"items": 1}, user=operator)
    with working_on(task):
        steer.cancel(task, operator, "enough")
    step = Step.objects.get(task=task, name="one")
    assert (step.status, step.external_id) == ("cancelled", "E-1")
    assert step.executed_at is not None
    task.refresh_from_db()
    assert task.status == "cancelled"


def test_a_change_of_our_own_database_is_not_made_by_a_late_result(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = start_task("keeper", {"items": 1}, user=operator)
    with working_on(task):
        others_take_over(monkeypatch, task)
    assert kinds(task, "keep")[-1] == "late"
    assert not Effect.objects.exists()


def test_a_call_beyond_its_time_limit_loses_its_lease_and_is_looked_up(operator: Any, settings: Any) -> None:
    settings.TASKBOARD_LEASE_SECONDS = 1
    task = start_task("hanging", {"items": 1}, user=operator)
    GATE.clear()
    worker = Background(work.until_idle, task.pk)
    worker.end()  # it does not wait for the call
    step = Step.objects.get(task=task)
    assert step.status == "started"
    until(lambda: sweep().resumed, what="the end of the lease")
    step.refresh_from_db()
    assert (step.status, step.external_id) == ("done", "E-1")
    GATE.set()
    until(lambda: "late" in kinds(task, "hang"), what="the late result")
    task.refresh_from_db()
    assert (task.status, World().keys()) == ("completed", [step.idempotency_key])
    assert list(differences(task)) == []


def test_a_step_that_truly_runs_keeps_its_lease_however_long(operator: Any, settings: Any) -> None:
    """DUP-12: nothing is taken from a worker by elapsed time alone."""
    settings.TASKBOARD_LEASE_SECONDS = 0.6
    task = start_task("five", {"items": 1}, user=operator)
    with working_on(task):
        began = Step.objects.get(task=task, name="one")
        until(
            lambda: Step.objects.get(pk=began.pk).lease_until > began.lease_until + timedelta(seconds=2),
            what="five heartbeats",
        )
        assert sweep().resumed == 0
    assert kinds(task, "one") == ["intent", "result"]


def test_two_sweeps_at_once_settle_a_step_once(operator: Any) -> None:
    """CONC-12."""
    task = start_task("linear", {"items": 3}, user=operator)
    work.until_idle(task.pk)
    abandon(task, "tell")
    both = [Background(sweep), Background(sweep)]
    for one in both:
        one.end()
    assert Checkpoint.objects.filter(task=task, kind="interrupted").count() == 3
    assert set(Step.objects.filter(task=task, name="tell").values_list("status", flat=True)) == {"done"}
    assert list(differences(task)) == []


def abandon(task: Task, name: str) -> None:
    """As if the worker had died during these steps, which had their effects."""
    with work.lifecycle.changing(task.pk, "test") as change:
        steps = Step.objects.filter(task=task, name=name)
        for step in steps:
            change.count_step(name, step.status, "started")
            change.record("note", item=step.item.key, step=name, data={"to": "started"})
        past = change.now - timedelta(minutes=1)
        steps.update(status="started", lease_owner="elsewhere/1/1@1", lease_until=past)


def test_a_slow_look_up_does_not_count_as_a_death(operator: Any, settings: Any, monkeypatch: Any) -> None:
    """While one step is asked for, the others stay in the hands of the one who asks."""
    task = start_task("linear", {"items": 3}, user=operator)
    work.until_idle(task.pk)
    abandon(task, "tell")
    settings.TASKBOARD_LEASE_SECONDS = 1
    asked = []

    def slow(*arguments: Any) -> Any:
        asked.append(timezone.now())
        until(lambda: timezone.now() > asked[-1] + timedelta(seconds=0.5), what="some time")
        assert reconcile.abandoned(timezone.now(), task.pk) == []
        return find(*arguments)

    find = reconcile.lookup.look_up
    monkeypatch.setattr(reconcile.lookup, "look_up", slow)
    sweep()
    assert len(asked) == 3
    assert set(Step.objects.filter(task=task, name="tell").values_list("deaths", flat=True)) == {1}
