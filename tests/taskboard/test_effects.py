"""A change in the outside world is named by its content and had once, whichever task wants it."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from taskboard import desk, lifecycle
from taskboard.engine import claim, effects, work
from taskboard.engine.adopt import HELD
from taskboard.engine.claim import Claimed
from taskboard.engine.effects import Stand
from taskboard.models import Checkpoint, Effect, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.workflow import get
from tests.background import Background, working_on
from tests.effect_workflows import KEPT
from tests.processes import until
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def run(user: Any, workflow: str, mode: str = "", items: int = 1) -> Task:
    task = start_task(workflow, {"items": items, "mode": mode}, user=user)
    return go_on(task)


def go_on(task: Task) -> Task:
    """As if the waiting time was over."""
    Step.objects.filter(task=task, status="pending").update(due_at=None)
    work.until_idle(task.pk)
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def only(task: Task, name: str = "open") -> Step:
    return Step.objects.current().get(task=task, name=name, item__key="item_001")


def test_a_task_started_anew_finds_what_the_first_one_did(operator: Any) -> None:
    KEPT.clear()
    first, second = run(operator, "ticketing"), run(operator, "ticketing")
    step = only(second)
    assert World().keys() == [f"{first.public_id}:item_001:open"]
    assert (step.status, step.external_id, step.outputs) == ("done", "E-1", {"id": "E-1"})
    assert step.summary == f"Already there, from task {first.public_id}, step item_001.open."
    assert step.verified_how == "E-1 reads back"
    assert only(second, "read").summary == "ticket E-1"
    assert Effect.objects.get().task == first
    assert KEPT == [("item_001", "E-1")] * 2
    assert second.status == "completed"
    told = Checkpoint.objects.get(task=second, step="open", kind="result").data
    assert (told["found"], told["effect_key"]) == (True, "ticket:item_001")


def test_it_is_found_when_the_first_task_is_long_purged(operator: Any) -> None:
    first = run(operator, "ticketing")
    Effect.objects.update(task=None, step=None)
    step = only(run(operator, "ticketing"))
    assert step.summary == f"Already there, from {first.public_id}:item_001:open."
    assert (step.external_id, step.outputs, len(World().keys())) == ("E-1", {"id": "E-1"}, 1)


def test_of_two_tasks_at_once_the_second_waits_and_then_finds_it(operator: Any) -> None:
    first = start_task("ticketing", {"items": 1, "mode": "slow"}, user=operator)
    with working_on(first):
        second = run(operator, "ticketing")
        step = only(second)
        assert (step.status, step.failures, step.error_class) == ("pending", 0, HELD)
        assert step.error == f"It waits for task {first.public_id}, step item_001.open, which does the same."
        assert step.due_at > timezone.now()
        assert second.status == "running"
    go_on(second)
    assert (only(second).status, len(World().keys())) == ("done", 1)


def test_many_items_of_two_tasks_side_by_side_are_done_once(operator: Any) -> None:
    tasks = [start_task("ticketing", {"items": 20}, user=operator) for _ in range(2)]
    workers = [Background(work.until_idle, task.pk) for task in tasks]
    for worker in workers:
        worker.end()
    for task in tasks:
        assert go_on(task).status == "completed"
    calls = World().keys()
    assert len(calls) == len({key.split(":")[1] for key in calls}) == 20
    assert Effect.objects.exclude(at=None).count() == 20


@pytest.mark.parametrize(
    ("mode", "status"),
    [("not sent", "failed"), ("give up", "failed"), ("skip", "skipped"), ("back", "blocked")],
)
def test_what_surely_did_not_happen_is_free_for_the_next(operator: Any, mode: str, status: str) -> None:
    assert only(run(operator, "ticketing", mode)).status == status
    assert not Effect.objects.exists()
    assert (only(run(operator, "ticketing")).status, len(World().keys())) == ("done", 1)


def test_an_answer_that_was_lost_and_found_belongs_to_its_step(operator: Any) -> None:
    task = run(operator, "ticketing", "lost")
    effect = Effect.objects.get()
    assert (effect.step, effect.external_id, only(task).status) == (only(task), "E-1", "done")


def test_one_that_is_not_known_keeps_the_others_waiting_until_a_person_settles_it(operator: Any) -> None:
    lost = only(run(operator, "whisper", "lost"), "whisper")
    waiting = run(operator, "whisper")
    step = only(waiting, "whisper")
    assert (step.status, step.failures) == ("pending", 0)
    assert "settle that one first" in step.error
    desk.happened(lost, operator, "W-1", outputs={"place": "at lunch"})
    go_on(waiting)
    assert (only(waiting, "whisper").external_id, only(waiting, "read").summary) == ("W-1", "said at lunch")
    assert len(World().keys()) == 1


def test_it_did_not_happen_keeps_it_for_the_same_step(operator: Any) -> None:
    lost = only(run(operator, "whisper", "lost"), "whisper")
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    assert Effect.objects.get().step == lost
    assert only(go_on(lost.task), "whisper").status == "unknown"


def test_a_task_that_was_cancelled_before_it_began_holds_nothing(operator: Any) -> None:
    lost = only(run(operator, "whisper", "lost"), "whisper")
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    steer.cancel(lost.task, operator)
    assert not Effect.objects.exists()


def test_one_that_only_waits_to_run_again_does_not_hold_up_others(operator: Any) -> None:
    lost = only(run(operator, "whisper", "lost"), "whisper")
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    assert only(run(operator, "whisper"), "whisper").status == "done"
    assert only(go_on(lost.task), "whisper").summary.startswith("Already there")


def test_of_two_that_look_at_the_same_reservation_at_once_one_takes_it_over(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only a server lets two of them write at once")
    lost = only(run(operator, "whisper", "lost"), "whisper")
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    first, second = begun(operator), begun(operator)
    inside, go_on, stands = threading.Event(), threading.Event(), []

    def hold(key: str) -> Effect:
        inside.set()
        go_on.wait(20)
        return locked(key)

    locked = effects._locked
    monkeypatch.setattr(effects, "_locked", hold)
    other = Background(lambda: stands.append(reserved(second)))
    assert inside.wait(20)
    monkeypatch.setattr(effects, "_locked", locked)
    with lifecycle.changing(first.step.task_id, "first") as change:
        stands.append(effects.reserve(change, first, "whisper:item_001")[0])
        go_on.set()
        until(waits, what="the second one's waiting for the first one's transaction")
    other.end()
    assert stands == [Stand.OURS, Stand.BUSY]
    assert Effect.objects.get().step == first.step


def waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def begun(user: Any) -> Claimed:
    task = start_task("whisper", {"items": 1}, user=user)
    assert work.read.read_items(task.pk, work.stopping)
    with lifecycle.changing(task.pk, "test") as change:
        (one,) = claim.claim(change, get("whisper"), "here/1@1", 1)
    return one


def reserved(claimed: Claimed) -> Stand:
    with lifecycle.changing(claimed.step.task_id, "second") as change:
        return effects.reserve(change, claimed, "whisper:item_001")[0]


@pytest.mark.parametrize("mode", ["none", "number", "long"])
def test_a_key_may_be_empty_and_must_be_text(operator: Any, mode: str) -> None:
    step = only(run(operator, "ticketing", mode))
    expected = {"none": ("done", 0), "number": ("failed", 0), "long": ("done", 1)}
    assert (step.status, Effect.objects.count()) == expected[mode]
    assert all(len(effect.key) == 300 for effect in Effect.objects.all())
    assert len(World().keys()) == (0 if mode == "number" else 1)


def test_steps_without_a_key_pay_nothing(operator: Any) -> None:
    task = start_task("linear", {"items": 3}, user=operator)
    with CaptureQueriesContext(connection) as queries:
        work.until_idle(task.pk)
    assert not [query for query in queries if "taskboard_effect" in query["sql"]]


def test_checktasks_tells_of_effects_that_do_not_agree(operator: Any) -> None:
    task = run(operator, "ticketing", items=2)
    first, second = Effect.objects.order_by("key")
    Effect.objects.filter(pk=first.pk).update(at=None)
    Effect.objects.filter(pk=second.pk).update(step=None)
    assert sorted(differences(task)) == [
        "effects.ticket:item_001: it is only reserved, but item_001.open is done.",
        "effects.ticket:item_002: it belongs to the task, but to none of its steps.",
    ]
