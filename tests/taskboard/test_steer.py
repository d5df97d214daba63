"""Pause, resume, cancel while steps are in the air."""

from typing import Any

import pytest

from approvals.models import Approval
from taskboard import lifecycle
from taskboard.engine import claim, owner, record, work
from taskboard.engine.endings import MayStart, Report
from taskboard.engine.record import Ended
from taskboard.errors import NotAllowed, WrongState
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.workflow import get
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.background import Background, working_on
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def five(operator: Any) -> Task:
    return start_task("five", {"items": 1}, user=operator)


def statuses(task: Task) -> dict[str, str]:
    return dict(Step.objects.filter(task=task).values_list("name", "status"))


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def test_a_pause_lets_the_running_step_finish_and_claims_nothing_more(operator: Any, five: Task) -> None:
    """CONC-11."""
    with working_on(five):
        steer.pause(five, operator)
        paused = Checkpoint.objects.get(task=five, kind="person")
        assert paused.data["still_finishing"] == 1
    assert statuses(five) == {"one": "done", "two": "pending"}
    assert fresh(five).status == "paused"
    work.until_idle(five.pk)
    later = Checkpoint.objects.filter(task=five, kind="intent", ordinal__gt=paused.ordinal)
    assert not later.exists()


def test_after_a_pause_it_goes_on_with_the_next_step_once(operator: Any, five: Task) -> None:
    """CONC-11."""
    with working_on(five):
        steer.pause(five, operator)
    steer.resume(five, operator)
    work.until_idle(five.pk)
    assert fresh(five).status == "completed"
    assert len(World().keys()) == len(set(World().keys())) == 2
    assert Checkpoint.objects.filter(task=five, kind="intent").count() == 5


def test_a_result_that_comes_after_pause_and_resume_is_kept(operator: Any, five: Task) -> None:
    """LOST-08: the wish to stop belongs to its time, not to the task for ever."""
    with working_on(five):
        steer.pause(five, operator)
        steer.resume(five, operator)
    work.until_idle(five.pk)
    assert fresh(five).status == "completed"
    assert Step.objects.get(task=five, name="one").external_id == "E-1"
    told = list(Checkpoint.objects.filter(task=five, kind="status").values_list("data__to", flat=True))
    assert told == ["running", "paused", "running", "completed"]


def test_what_is_reported_after_a_cancel_is_journaled_and_changes_nothing(operator: Any, five: Task) -> None:
    """CONC-05: cancelled stays cancelled, and the external id is kept for the clean-up."""
    with working_on(five):
        steer.cancel(five, operator, "wrong site")
    assert fresh(five).status == "cancelled"
    assert statuses(five) == {"one": "cancelled"}
    late = Checkpoint.objects.get(task=five, kind="late")
    assert (late.step, late.data["external_id"]) == ("one", "E-1")
    work.until_idle(five.pk)
    assert len(World().keys()) == 1


def test_what_people_changed_meanwhile_is_not_undone_by_a_result(
    operator: Any, admin: Any, five: Task
) -> None:
    """DATA-07: a worker writes its own columns only."""
    with working_on(five):
        Task.objects.filter(pk=five.pk).update(brief_note="mind the logo")
        steer.change_budget(five, admin, "7")
        steer.cancel(five, operator)
    task = fresh(five)
    assert (task.brief_note, str(task.limit_usd), task.status) == ("mind the logo", "7.00", "cancelled")
    assert str(task.spent_usd) == "0.01"


def test_two_clicks_on_try_again_are_one_attempt(operator: Any) -> None:
    """DUP-09: whichever of the two comes second is told that the step has moved on."""
    task = start_task("moody", {"items": 1, "mode": "give_up"}, user=operator)
    work.until_idle(task.pk)
    step = Step.objects.get(task=task, name="act")
    told = []

    def click() -> None:
        try:
            steer.retry_step(step, operator)
        except WrongState as error:
            told.append(error.message)

    both = [Background(click) for _ in range(2)]
    for one in both:
        one.end()
    assert len(told) == 1
    assert Checkpoint.objects.filter(task=task, kind="person").count() == 1
    work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    assert Step.objects.get(pk=step.pk).attempt == 2


def test_a_cancel_withdraws_open_questions(operator: Any) -> None:
    task = start_task("asking", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    steer.cancel(task, operator)
    assert set(Approval.objects.filter(task=task).values_list("status", flat=True)) == {"withdrawn"}
    assert fresh(task).item_counts == {"cancelled": 2}


def test_a_prepared_step_does_not_start_after_a_pause(operator: Any) -> None:
    """CONC-11: what was held while its question was worked out goes back."""
    task = start_task("drafting", {"items": 1}, user=operator)
    spec = get("drafting")
    come_to_publish(task)
    with lifecycle.changing(task.pk, "test") as change:
        held = claim.claim(change, spec, owner.me(), 8)
    assert [one.preparing for one in held] == [True]
    steer.pause(task, operator)
    with lifecycle.changing(task.pk, "test") as change:
        assert record.record(change, [Ended(held[0], Report(MayStart()))], owner.me()) == []
    step = Step.objects.get(task=task, name="publish")
    assert (step.status, step.lease_owner) == ("pending", "")


def come_to_publish(task: Task) -> None:
    """Stops just before the question is asked."""
    work.read.read_items(task.pk, work.stopping)
    with lifecycle.changing(task.pk, "test") as change:
        begun = claim.claim(change, get("drafting"), owner.me(), 1)
    report = work.execute.execute(get("drafting").owner, task, begun[0])
    with lifecycle.changing(task.pk, "test") as change:
        record.record(change, [Ended(begun[0], report)], owner.me())


def test_the_stop_of_a_worker_lets_the_running_step_finish(operator: Any, five: Task) -> None:
    with working_on(five):
        work.stopping.set()
    assert statuses(five) == {"one": "done", "two": "pending"}
    work.until_idle(five.pk)
    assert fresh(five).status == "completed"


def test_only_operators_steer(manager: Any, five: Task) -> None:
    for verb in (steer.pause, steer.resume, steer.cancel):
        with pytest.raises(NotAllowed):
            verb(five, manager)


def test_a_finished_task_can_neither_be_paused_nor_cancelled(operator: Any, five: Task) -> None:
    GATE.set()
    work.until_idle(five.pk)
    for verb in (steer.pause, steer.cancel):
        with pytest.raises(WrongState, match="is Completed; it cannot become"):
            verb(five, operator)
