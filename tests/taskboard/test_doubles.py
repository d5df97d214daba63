"""A success that comes late counts where nothing was done since; where it may be there twice, people are told."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import attention, lifecycle, workflow
from taskboard.engine import claim, read, record, work
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Accepted, Ending, Finished, Report, TryAgain
from taskboard.engine.record import Ended
from taskboard.models import Checkpoint, Risk, Step, Task
from taskboard.outcomes import Done, Usage
from taskboard.recount import differences
from taskboard.resume.brief import write
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import double_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def start(user: Any, name: str = "late") -> Task:
    task = start_task(name, {"items": 1}, user=user)
    read.read_items(task.pk, work.stopping)
    return task


def begin(task: Task) -> Claimed:
    """A worker elsewhere begins the step."""
    with lifecycle.changing(task.pk, "worker elsewhere") as change:
        (claimed,) = claim.claim(change, workflow.get(task.workflow), "elsewhere/4026531836/1@1", 1)
    return claimed


def give_up(task: Task) -> None:
    """Its lease runs out, and the look-up finds nothing."""
    Step.objects.filter(task=task).update(lease_until=timezone.now() - timedelta(minutes=1))
    assert sweep().resumed == 1
    Step.objects.filter(task=task).update(due_at=None)


def end(task: Task, claimed: Claimed, ending: Ending) -> Step:
    with lifecycle.changing(task.pk, "worker elsewhere") as change:
        record.record(change, [Ended(claimed, Report(ending))], claimed.step.lease_owner)
    assert list(differences(task)) == []
    return Step.objects.get(task=task)


def success(external_id: str) -> Finished:
    done = Done("sent", external_id=external_id, usage=Usage("0.03"))
    return Finished(Accepted(done, timezone.now()))


def given_up(user: Any, name: str = "late") -> tuple[Task, Claimed]:
    task = start(user, name)
    first = begin(task)
    give_up(task)
    return task, first


def page(person: Any) -> str:
    return str(logged_in(person).get("/attention/").content.decode())


def test_a_change_that_was_made_twice_is_shown_with_both_ids_until_a_person_has_looked(operator: Any) -> None:
    task, first = given_up(operator)
    end(task, begin(task), success("E-2"))
    seen = attention.fingerprint(timezone.now())
    assert end(task, first, success("E-1")).external_id == "E-2"
    risk = Risk.objects.get(task=task)
    html = page(operator)
    for told in ("May have been done twice", "E-1", "E-2", "Look at both outside", "I have looked"):
        assert told in html
    assert (risk.severity, attention.count(), risk.text in write(task, timezone.now())) == ("high", 1, True)
    assert attention.fingerprint(timezone.now()) != seen
    told = logged_in(operator).get("/attention.json").json()
    assert (told["twice_count"], told["twice"][0]["text"]) == (1, risk.text)

    place = f"/tasks/{task.public_id}/risks/close/"
    answer = {"risk": risk.pk, "reason": "E-1 is deleted", "back": "attention"}
    assert logged_in(operator).post(place, answer).status_code == 302
    assert "May have been done twice" not in page(operator)
    assert attention.count() == 0


def test_those_who_may_not_operate_see_it_and_no_button(operator: Any, manager: Any) -> None:
    task, first = given_up(operator)
    end(task, begin(task), success("E-2"))
    end(task, first, success("E-1"))
    html = page(manager)
    assert "May have been done twice" in html
    assert "I have looked" not in html


def test_one_and_the_same_change_is_nothing_to_look_at(operator: Any) -> None:
    task, first = given_up(operator)
    end(task, begin(task), success("E-1"))
    end(task, first, success("E-1"))
    assert not Risk.objects.exists()
    assert Checkpoint.objects.filter(task=task, kind="late").count() == 1


@pytest.mark.parametrize(("external_id", "left"), [("E-1", 0), ("E-2", 1)])
def test_what_comes_while_it_is_done_again_is_told_at_once_and_compared_with_the_result(
    operator: Any, external_id: str, left: int
) -> None:
    task, first = given_up(operator)
    second = begin(task)
    end(task, first, success("E-1"))
    assert "while the step was at work again" in Risk.objects.get(closed_at=None).text
    end(task, second, success(external_id))
    told = Risk.objects.filter(task=task, closed_at=None)
    assert [("E-1" in one.text and "E-2" in one.text) for one in told] == [True] * left
    assert attention.count() == left


def test_what_was_done_all_the_same_is_not_tried_a_third_time(operator: Any) -> None:
    task, first = given_up(operator)
    second = begin(task)
    end(task, first, success("E-1"))
    step = end(task, second, TryAgain("The tracker refused.", "NotSent"))
    assert (step.status, step.external_id) == ("unknown", "E-1")
    assert step.error.endswith("The tracker refused.")
    assert not Risk.objects.filter(closed_at=None).exists()
    work.until_idle(task.pk)
    assert World().keys() == []


def test_a_late_success_counts_where_the_step_still_waits_to_be_done_again(operator: Any) -> None:
    task, first = given_up(operator)
    step = end(task, first, success("E-1"))
    assert (step.status, step.external_id, step.attempt) == ("done", "E-1", 1)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, task.spent_micro, task.reserved_micro) == ("completed", 30_000, 0)
    assert (World().keys(), Risk.objects.count()) == ([], 0)


def test_the_effect_that_it_named_is_its_own(operator: Any) -> None:
    task = start(operator, "late-named")
    first = begin(task)
    first.effect_key = "mail to item_001"
    give_up(task)
    step = end(task, first, success("E-1"))
    effect = task.effects.get()
    assert (effect.key, effect.step, effect.external_id) == ("mail to item_001", step, "E-1")


def test_what_was_accepted_late_is_still_proven(operator: Any) -> None:
    task, first = given_up(operator, "late-proven")
    step = end(task, first, success("E-1").accepted)
    assert (step.status, step.external_id) == ("started", "E-1")
    sweep()
    step.refresh_from_db()
    assert (step.status, step.verified_how) == ("done", "E-1 is there")
    assert list(differences(task)) == []


def test_nobody_is_asked_any_more_about_an_outcome_that_comes_late(operator: Any) -> None:
    task, first = given_up(operator, "late-blind")
    assert Step.objects.get(task=task).status == "unknown"
    step = end(task, first, success("E-1"))
    assert (step.status, step.external_id, step.error) == ("done", "E-1", "")


def test_what_a_person_skipped_meanwhile_was_done_after_all(operator: Any) -> None:
    task, first = given_up(operator)
    with lifecycle.changing(task.pk, "ops") as change:
        step = Step.objects.get(task=task)
        lifecycle.move_steps(change, [lifecycle.StepMove(step, lifecycle.S.SKIPPED)])
        change.record("skipped", item="item_001", step="send", data={"to": "skipped"})
    end(task, first, success("E-1"))
    assert "was done after all" in Risk.objects.get().text
