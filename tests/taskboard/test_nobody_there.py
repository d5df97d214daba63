"""Workers, resumer and beat are gone while people go on: what they see, and what happens when one comes back."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from approvals import decisions, resumer
from approvals.jobs import pick_up
from approvals.models import Approval
from taskboard import health
from taskboard.engine import owner, work
from taskboard.models import Checkpoint, Heartbeat, Step, Task
from taskboard.outcomes import NotSent
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.sweep import sweep
from tests import long_workflows  # noqa: F401 registers them
from tests.background import Background, working_on
from tests.conftest import logged_in
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)

LONG = timedelta(minutes=4)


@pytest.fixture
def asking(operator: Any) -> Task:
    task = start_task("asking", {"items": 3}, user=operator)
    work.until_idle(task.pk)
    return task


def approve_all(manager: Any) -> None:
    for asked in Approval.objects.filter(status="open"):
        decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)


def last_seen(role: str, ago: timedelta) -> None:
    now = timezone.now()
    Heartbeat.objects.create(owner=role, role=role, started_at=now - ago, seen_at=now - ago)


def kinds(task: Task) -> list[str]:
    return list(Checkpoint.objects.filter(task=task).values_list("kind", flat=True))


def test_decisions_without_a_resumer_are_told_and_go_without_a_click_when_it_is_back(
    operator: Any, manager: Any, asking: Task
) -> None:
    """STUCK-08, LOST-05."""
    approve_all(manager)
    past = timezone.now() - LONG
    Approval.objects.filter(task=asking).update(decided_at=past, closed_at=past)
    Heartbeat.objects.all().delete()
    last_seen("worker", timedelta(0))
    last_seen("beat", LONG)
    for place in ("/", asking.get_absolute_url(), "/approvals/"):
        assert "3 decisions" in logged_in(manager).get(place).content.decode(), place
    assert sweep().decisions == 3
    work.until_idle(asking.pk)
    asking.refresh_from_db()
    assert (asking.status, len(World().keys())) == ("completed", 3)
    assert kinds(asking).count("picked_up") == 3
    assert health.banner(timezone.now()) == ""


def test_one_message_hands_a_decision_over_and_lets_its_step_run(manager: Any, asking: Task) -> None:
    approve_all(manager)
    for asked in Approval.objects.filter(task=asking):
        pick_up(asked.pk)
        pick_up(asked.pk)
    assert (Task.objects.get(pk=asking.pk).status, len(World().keys())) == ("completed", 3)
    assert kinds(asking).count("picked_up") == 3


def test_long_steps_leave_slots_for_the_next_decision(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """STUCK-08: in the queue of short things only so many tasks are worked on; the rest goes to the other workers."""
    monkeypatch.setattr(work, "beside", threading.Semaphore(1))
    sent: list[tuple[Any, ...]] = []
    GATE.clear()
    first, second = (start_task("slow", {"items": 1}, user=operator) for _ in range(2))
    long = Background(work.run_beside, first.pk)
    until(lambda: World().keys(), what="the long step")
    monkeypatch.setattr(work.hints, "soon", lambda *told, **_: sent.append(told))
    work.run_beside(second.pk)
    assert (sent, len(World().keys())) == ([("taskboard.run_task", second.pk)], 1)
    GATE.set()
    long.end()
    assert work.beside.acquire(blocking=False)


def test_a_decision_that_two_resumers_take_up_at_once_is_handed_over_once(manager: Any, asking: Task) -> None:
    """CONC-03: one decision, one resume."""
    approve_all(manager)
    for asked in Approval.objects.filter(task=asking):
        rivals = [Background(resumer.pick_up, asked.pk) for _ in range(3)]
        for rival in rivals:
            rival.end()
    both = [Background(work.until_idle, asking.pk) for _ in range(2)]
    for one in both:
        one.end()
    assert kinds(asking).count("picked_up") == 3
    assert sorted(World().keys()) == sorted(set(World().keys()))
    assert list(differences(Task.objects.get(pk=asking.pk))) == []


def test_steps_of_a_machine_that_died_are_shown_as_such_and_taken_up_again(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STUCK-02: within the lease it says since when nobody was seen; then they are interrupted and go on."""
    task = start_task("five", {"items": 1}, user=operator)
    with working_on(task):
        Step.objects.filter(task=task, status="started").update(lease_owner="elsewhere/1/1@1")
        Heartbeat.objects.all().delete()
        last_seen("worker", LONG)
        assert "No worker has been seen since" in logged_in(operator).get("/").content.decode()
        monkeypatch.setattr(owner, "me", lambda: "elsewhere/1/2@1")
        assert sweep().resumed == 0  # on another machine: its lease is all that is known of it
        Step.objects.filter(task=task, status="started").update(lease_until=timezone.now() - LONG)
        assert sweep().resumed == 1
    assert kinds(task).count("interrupted") == 1
    work.until_idle(task.pk)
    assert Task.objects.get(pk=task.pk).status == "completed"


def test_nobody_answered_is_a_state_of_its_own(operator: Any, manager: Any, asking: Task) -> None:
    """STUCK-05: no deciding person, no rejection, nothing is done; a successor is asked."""
    past = timezone.now() - LONG
    Approval.objects.filter(task=asking).update(expires_at=past)
    assert sweep().expired == 3
    closed = Approval.objects.filter(task=asking, status="expired")
    assert set(closed.values_list("decided_by", "verdict")) == {(None, "")}
    assert set(Step.objects.filter(task=asking, name="pay").values_list("status", flat=True)) == {
        "waiting_approval"
    }
    assert (kinds(asking).count("expired"), kinds(asking).count("decided")) == (3, 0)
    assert Approval.objects.filter(task=asking, status="open").count() == 3
    work.until_idle(asking.pk)
    assert World().keys() == []


def test_a_failure_that_is_reported_after_a_cancel_is_not_tried_again(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONC-05: no retry, and nothing is told of a task that nobody wants any more."""
    task = start_task("moody", {"items": 1, "mode": "not_sent"}, user=operator)
    spec = work.workflow.get("moody").owner
    monkeypatch.setattr(spec, "_not_sent", lambda ctx: _cancelled(task, operator), raising=False)
    work.until_idle(task.pk)
    step = Step.objects.get(task=task, name="act")
    task.refresh_from_db()
    assert (task.status, step.status, step.due_at) == ("cancelled", "cancelled", None)
    assert "retry" not in kinds(task)
    assert task.untold == ""
    assert list(differences(task)) == []


def _cancelled(task: Task, user: Any) -> None:
    steer.cancel(Task.objects.get(pk=task.pk), user, "enough")
    raise NotSent("refused")
