"""However the outcome of a write is found out, what goes with it goes with it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import desk
from taskboard.engine import work
from taskboard.errors import BadInput
from taskboard.models import Checkpoint, Step, Task
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests.effect_workflows import KEPT
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def run(user: Any, workflow: str, mode: str = "") -> Task:
    task = start_task(workflow, {"items": 1, "mode": mode}, user=user)
    work.until_idle(task.pk)
    return Task.objects.get(pk=task.pk)


def test_an_absence_counts_when_the_call_can_no_longer_arrive(operator: Any) -> None:
    task = run(operator, "slowly")
    step = Step.objects.get(task=task)
    assert (step.status, step.lease_owner) == ("started", "")
    assert step.lease_until > timezone.now() + timedelta(minutes=50)
    assert sweep().resumed == 0
    began = timezone.now() - timedelta(hours=2)
    Step.objects.filter(pk=step.pk).update(started_at=began, lease_until=began)
    sweep()
    work.until_idle(task.pk)
    step.refresh_from_db()
    assert (step.status, step.attempt, World().keys()) == ("done", 2, [step.idempotency_key])


def test_a_call_that_arrives_while_it_settles_is_found(operator: Any) -> None:
    task = run(operator, "slowly")
    step = Step.objects.get(task=task)
    World().do(str(step.idempotency_key))
    Step.objects.filter(pk=step.pk).update(lease_until=timezone.now())
    sweep()
    step.refresh_from_db()
    assert (step.status, step.external_id, step.attempt) == ("done", "E-1", 1)


def test_what_goes_into_our_database_goes_there_when_the_answer_was_lost(operator: Any) -> None:
    KEPT.clear()
    run(operator, "ticketing", "lost")
    assert KEPT == [("item_001", "E-1")]


def test_it_goes_there_on_the_word_of_a_person(operator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    KEPT.clear()
    step = lost(operator, monkeypatch)
    desk.happened(step, operator, "E-9")
    assert KEPT == [("item_001", "E-9")]


def test_the_id_is_handed_on_where_the_workflow_says_so(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = lost(operator, monkeypatch)
    assert desk.asked("ticketing", "open") == {}
    desk.happened(step, operator, "E-9")
    work.until_idle(step.task_id)
    assert Step.objects.get(task=step.task_id, name="read").summary == "ticket E-9"


def lost(user: Any, monkeypatch: pytest.MonkeyPatch) -> Step:
    """Its answer was lost, and the outside world cannot be asked."""
    monkeypatch.setattr(World, "find", lambda self, key: 1 / 0)
    task = run(user, "ticketing", "lost")
    step = Step.objects.get(task=task, name="open")
    with work.lifecycle.changing(task.pk, "test") as change:
        work.lifecycle.move_steps(change, [work.lifecycle.StepMove(step, "unknown", {"error": "?"})])
        change.record("unknown", item="item_001", step="open", data={"to": "unknown"})
    return Step.objects.get(pk=step.pk)


def test_what_a_later_step_needs_is_asked_of_the_person(operator: Any) -> None:
    task = run(operator, "whisper", "lost")
    step = Step.objects.get(task=task)
    assert desk.asked("whisper", "whisper") == {"place": "Where it was said"}
    with pytest.raises(BadInput, match="Also say: Where it was said"):
        desk.happened(step, operator, "W-1")
    with pytest.raises(BadInput, match="hands on nothing named time"):
        desk.happened(step, operator, "W-1", outputs={"time": "noon"})
    desk.happened(step, operator, "W-1", outputs={"place": "here"})
    work.until_idle(task.pk)
    assert Step.objects.get(task=task, name="read").summary == "said here"
    step.refresh_from_db()
    assert step.outputs == {"id": "W-1", "place": "here"}


def test_a_step_behind_one_that_handed_on_nothing_does_not_stumble(operator: Any) -> None:
    task = run(operator, "ticketing", "skip")
    assert Step.objects.get(task=task, name="read").summary == "ticket without a number"


def test_not_sent_and_answer_lost_are_told_apart_in_the_journal(operator: Any) -> None:
    """DUP-05: the first is tried again with the same key, the second is looked up first."""
    not_sent, lost = run(operator, "ticketing", "not sent"), run(operator, "ticketing", "lost")
    assert kinds(not_sent) == ["intent", "retry", "intent", "failure"]
    step = Step.objects.get(task=not_sent, name="open")
    assert step.whether_sent == "Not sent: surely nothing went out, so it can simply be tried again."
    assert kinds(lost) == ["intent", "executed", "result"]
    assert Checkpoint.objects.get(task=lost, step="open", kind="executed").data["found"] is True


def kinds(task: Task) -> list[str]:
    rows = Checkpoint.objects.filter(task=task, step="open").order_by("ordinal")
    return [row.kind for row in rows]
