"""Whoever lost a step begins nothing with it and counts nothing twice, be it a thread of the same process."""

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import lifecycle
from taskboard.engine import claim, execute, owner, work
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.sweep import sweep
from taskboard.workflow import get
from tests import doubt_workflows, effect_workflows, long_workflows  # noqa: F401 registers them
from tests.background import Background, working_on
from tests.doubt_workflows import ANSWERS, ASKED, PROVEN
from tests.factories import make_item, make_step, make_task
from tests.processes import until
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    for event in (GATE, ASKED, ANSWERS):
        event.clear()
    PROVEN.clear()


def start(user: Any, workflow: str) -> Task:
    return start_task(workflow, {"items": 1}, user=user)


def kinds(task: Task) -> list[str]:
    return list(Checkpoint.objects.filter(task=task).exclude(step="").values_list("kind", flat=True))


def agrees(task: Task, status: str) -> None:
    task.refresh_from_db()
    assert (task.status, task.reserved_micro, list(differences(task))) == (status, 0, [])


def is_over(task: Task) -> None:
    """So was the lease of its steps, when nobody renewed it."""
    Step.objects.filter(task=task, status="started").update(lease_until=timezone.now() - timedelta(minutes=1))


def test_a_worker_that_slept_from_the_intent_to_the_call_does_not_make_it(
    operator: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONC-12: another one has looked it up meanwhile, found nothing, and may be calling."""
    settings.TASKBOARD_LEASE_SECONDS = 1
    GATE.set()
    asleep: list[Any] = []
    awake = threading.Event()

    def sleepy(*arguments: Any) -> Any:
        asleep.append(arguments[2])
        awake.wait(60)
        return call(*arguments)

    call = execute.execute
    monkeypatch.setattr(execute, "execute", sleepy)
    task = start(operator, "five")
    worker = Background(work.until_idle, task.pk)
    until(lambda: asleep, what="the sleep")
    monkeypatch.setattr(execute, "execute", call)
    is_over(task)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(owner, "me", lambda: "elsewhere/4026531836/1@1")
        assert sweep().resumed == 1
    until(lambda: time.monotonic() > asleep[0].held_until, what="the end of its lease")
    awake.set()
    worker.end()
    until(lambda: "late" in kinds(task), what="the late report")  # its thread outlasts the worker
    late = Checkpoint.objects.get(task=task, kind="late")
    assert (late.attempt, late.data["ending"]) == (1, "TryAgain")
    assert Step.objects.get(task=task, name="one").attempt == 2
    assert len(World().keys()) == len(set(World().keys())) == 2
    agrees(task, "completed")


def test_a_call_that_comes_back_while_its_own_process_asks_about_it_is_charged_once(
    operator: Any, settings: Any
) -> None:
    """It hung beyond its time limit: its lease was left, and another thread holds the step."""
    settings.TASKBOARD_LEASE_SECONDS = 1
    task = start(operator, "lingering")
    Background(work.until_idle, task.pk).end()
    is_over(task)
    asking = Background(sweep)
    assert ASKED.wait(30)
    GATE.set()
    until(lambda: "late" in kinds(task), what="the late result")
    ANSWERS.set()
    asking.end()
    assert Step.objects.get(task=task).status == "done"
    assert sum(LedgerEntry.objects.values_list("amount_micro", flat=True)) == 30_000
    agrees(task, "completed")


def test_a_call_that_was_left_before_its_turn_is_not_begun(operator: Any) -> None:
    task = start(operator, "five")
    GATE.set()
    work.read.read_items(task.pk, work.stopping)
    some = work.Slice(task.pk, until=time.monotonic() + 60)
    queued: list[Any] = []
    some.pool.submit = queued.append  # type: ignore[method-assign]
    some._turn()
    some.flying.clear()
    queued[0]()
    assert (len(queued), World().keys()) == (1, [])


def test_what_is_begun_is_held_no_longer_than_the_lease_in_its_row(operator: Any, settings: Any) -> None:
    settings.TASKBOARD_LEASE_SECONDS = 30
    task = start(operator, "five")
    assert work.read.read_items(task.pk, work.stopping)
    earliest = time.monotonic() + 30
    with lifecycle.changing(task.pk, "test") as change:
        (one,) = claim.claim(change, get("five"), "here/1@1", 1)
    assert earliest <= one.held_until <= time.monotonic() + 30
    assert Step.objects.get(pk=one.step.pk).lease_until == change.now + timedelta(seconds=30)


def test_a_heartbeat_prolongs_only_what_is_still_in_the_same_hands() -> None:
    task, over = make_task(), timezone.now()
    mine, lost = [
        make_step(make_item(task), status="started", attempt=1, lease_owner=by, lease_until=over)
        for by in ("here/1@1", "there/1@1")
    ]
    with lifecycle.changing(task.pk, "test") as change:
        assert claim.extend(change, [mine.pk, lost.pk], "here/1@1") == {mine.pk}
    assert Step.objects.get(pk=mine.pk).lease_until > over
    assert Step.objects.get(pk=lost.pk).lease_until == over


def test_what_a_cancelled_call_did_is_kept_before_anybody_verifies_it(operator: Any) -> None:
    """CONC-05: a worker that dies while it asks for the proof would take the id with it."""
    task = start(operator, "letter")
    with working_on(task):
        steer.cancel(task, operator)
    until(lambda: "late" in kinds(task), what="the late result")
    step = Step.objects.get(task=task)
    assert (step.status, step.external_id, PROVEN) == ("cancelled", "E-1", [])
    (late,) = Checkpoint.objects.filter(task=task, kind="late")
    assert late.data == {"ending": "Accepted", "external_id": "E-1", "summary": "sent"}
    agrees(task, "cancelled")


def test_an_answer_that_only_its_row_remembers_is_verified(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DUP-03: killed behind the executed row of a call that nobody can look up."""
    GATE.set()
    task = start(operator, "letter")
    with monkeypatch.context() as deadly:
        deadly.setattr(execute, "prove", lambda *_: 1 / 0)
        until(lambda: dies_behind_the_executed_row(task), what="its end")
    is_over(task)
    assert sweep().resumed == 1
    step = Step.objects.get(task=task)
    assert (step.status, step.external_id, step.outputs) == ("done", "E-1", {"to": "item_001"})
    assert (step.verified_how, PROVEN) == ("it lies in the box", ["E-1 item_001"])
    assert kinds(task) == ["intent", "executed", "interrupted", "result"]
    agrees(task, "completed")


def dies_behind_the_executed_row(task: Task) -> bool:
    work.run_task(task.pk)
    return "executed" in kinds(task)


def test_what_was_accepted_and_is_not_found_is_not_sent_again(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = start(operator, "forgetful")
    with monkeypatch.context() as deadly:
        deadly.setattr(execute, "prove", lambda *_: 1 / 0)
        until(lambda: dies_behind_the_executed_row(task), what="its end")
    is_over(task)
    sweep()
    work.until_idle(task.pk)
    step = Step.objects.get(task=task)
    assert (step.status, step.external_id, len(World().keys())) == ("unknown", "E-1", 1)
    assert step.error == "Accepted, but not verified: it is not there"
    assert LedgerEntry.objects.get(estimated=False).amount_micro == 40_000
    agrees(task, "blocked")


def test_what_a_dead_worker_adopted_is_seen_under_the_key_of_whoever_did_it(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = start(operator, "ticketing"), start(operator, "ticketing")
    work.until_idle(first.pk)
    with monkeypatch.context() as deadly:
        deadly.setattr(execute, "prove", lambda *_: 1 / 0)
        until(lambda: dies_behind_the_executed_row(second), what="its end")
    is_over(second)
    sweep()
    work.until_idle(second.pk)
    step = Step.objects.current().get(task=second, name="open")
    assert (step.status, step.external_id, step.verified_how) == ("done", "E-1", "E-1 reads back")
    assert World().keys() == [f"{first.public_id}:item_001:open"]
    agrees(second, "completed")
