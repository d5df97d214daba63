"""Whoever had an effect in hand has ended, and nobody knows whether it happened."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import desk, lifecycle
from taskboard.engine import effects, work
from taskboard.engine.adopt import HELD
from taskboard.engine.effects import Stand
from taskboard.models import Effect, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests.background import working_on
from tests.taskboard.test_effects import begun, go_on, only, run
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def given_up(user: Any, workflow: str, step: str) -> Step:
    lost = only(run(user, workflow, "lost"), step)
    assert lost.status == "unknown"
    desk.give_up(lost, user, "nobody knows")
    return lost


def test_what_was_given_up_is_asked_of_a_person_before_it_is_done_again(operator: Any) -> None:
    lost = given_up(operator, "whisper", "whisper")
    task = run(operator, "whisper")
    step = only(task, "whisper")
    assert (step.status, step.error_class, len(World().keys())) == ("unknown", HELD, 1)
    assert step.error.startswith(f"task {lost.task.public_id}, step item_001.whisper may have done the same")
    assert step.whether_sent == "Not sent from here: another step may have done the same already."
    assert task.status == "blocked"
    assert Effect.objects.get().step == step


def test_the_person_may_say_that_it_happened(operator: Any) -> None:
    given_up(operator, "whisper", "whisper")
    step = only(run(operator, "whisper"), "whisper")
    desk.happened(step, operator, "W-1", outputs={"place": "here"})
    assert only(run(operator, "whisper"), "whisper").external_id == "W-1"
    assert len(World().keys()) == 1


def test_the_person_may_say_that_it_did_not(operator: Any) -> None:
    given_up(operator, "whisper", "whisper")
    step = only(run(operator, "whisper"), "whisper")
    desk.did_not_happen(step, operator, str(step.idempotency_key))
    assert only(go_on(step.task), "whisper").status == "done"
    assert World().keys()[1:] == [step.idempotency_key]
    assert Effect.objects.get().made_by == step.idempotency_key


def test_the_one_that_was_given_up_and_is_tried_again_waits_for_the_other(operator: Any) -> None:
    lost = given_up(operator, "whisper", "whisper")
    other = only(run(operator, "whisper"), "whisper")
    steer.retry_step(lost, operator)
    go_on(lost.task)
    assert "settle that one first" in only(lost.task, "whisper").error
    desk.happened(other, operator, "W-1", outputs={"place": "here"})
    go_on(lost.task)
    assert (only(lost.task, "whisper").status, len(World().keys())) == ("done", 1)


def test_one_that_was_purged_in_doubt_is_still_in_doubt(operator: Any) -> None:
    lost = given_up(operator, "whisper", "whisper")
    Effect.objects.update(task=None, step=None)
    step = only(run(operator, "whisper"), "whisper")
    assert step.error.startswith(f"{lost.idempotency_key} may have done the same")


def test_an_absence_counts_only_for_the_key_that_was_looked_up(operator: Any) -> None:
    lost, second = given_up(operator, "whisper", "whisper"), begun(operator)
    stands = []
    with lifecycle.changing(second.step.task_id, "test") as change:
        for absent in ("", "another:key", str(lost.idempotency_key)):
            stands.append(effects.reserve(change, second, "whisper:item_001", absent)[0])
    assert stands == [Stand.DOUBTFUL, Stand.DOUBTFUL, Stand.OURS]


def test_what_can_be_looked_up_is_found_under_the_key_of_the_one_who_did_it(operator: Any) -> None:
    given_up(operator, "vague", "send")
    step = only(run(operator, "vague", "found"), "send")
    assert (step.status, step.external_id, len(World().keys())) == ("done", "E-77", 1)
    assert step.verified_how == f"seen under {World().keys()[0]}"
    effect = Effect.objects.get()
    assert (effect.step, effect.external_id, effect.made_by) == (step, "E-77", World().keys()[0])


def cancelled_in_its_call(user: Any) -> Task:
    """A worker had it in hand when the task was cancelled, and never reported."""
    task = start_task("ticketing", {"items": 1, "mode": "slow"}, user=user)
    with working_on(task):
        steer.cancel(task, user, "enough")
        Step.objects.filter(task=task).update(attempt=7)  # so that its word does not count
    return task


def long_ago(task: Task) -> None:
    Step.objects.filter(task=task).update(finished_at=timezone.now() - timedelta(hours=1))


def test_while_a_cancelled_call_may_still_be_on_its_way_the_next_one_waits(operator: Any) -> None:
    cancelled_in_its_call(operator)
    second = run(operator, "ticketing")
    assert "It waits for task" in only(second).error


def test_a_cancelled_call_that_had_its_effect_is_found(operator: Any) -> None:
    first = cancelled_in_its_call(operator)
    long_ago(first)
    step = only(run(operator, "ticketing"))
    assert (step.status, step.external_id, step.summary) == (
        "done", "E-1", f"Found, from task {first.public_id}, step item_001.open.",
    )  # fmt: skip
    assert len(World().keys()) == 1


def test_a_cancelled_call_that_surely_had_none_is_free(operator: Any) -> None:
    first = cancelled_in_its_call(operator)
    long_ago(first)
    Effect.objects.update(made_by="never:sent:open")
    step = only(run(operator, "ticketing"))
    assert (step.external_id, World().keys()[1]) == ("E-2", step.idempotency_key)
    assert Effect.objects.get().made_by == step.idempotency_key


def test_a_cancelled_call_that_reports_late_is_known(operator: Any) -> None:
    task = start_task("ticketing", {"items": 1, "mode": "slow"}, user=operator)
    with working_on(task):
        steer.cancel(task, operator, "enough")
    effect = Effect.objects.get()
    assert (effect.external_id, effect.at is not None) == ("E-1", True)
    assert list(differences(Task.objects.get(pk=task.pk))) == []
    assert only(run(operator, "ticketing")).summary.startswith("Already there")


def test_what_is_there_and_cannot_be_seen_is_a_persons_to_say(operator: Any) -> None:
    run(operator, "vague")
    step = only(run(operator, "vague", "hidden"), "send")
    assert (step.status, step.external_id) == ("unknown", "E-1")
    assert "not verified" in step.error
    desk.did_not_happen(step, operator, str(step.idempotency_key))
    Task.objects.filter(pk=step.task_id).update(params={"items": 1, "mode": ""})
    work.until_idle(step.task_id)
    assert (only(step.task, "send").external_id, len(World().keys())) == ("E-2", 2)
