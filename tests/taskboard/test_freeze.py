"""A frozen system: nothing that writes to it begins, in any task; the rest goes on, and so does this after the thaw."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from taskboard import freeze, frozen, health, hints, lifecycle
from taskboard.engine import claim, execute, read, work
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from taskboard.models import AuditEntry, Checkpoint, Freeze, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from taskboard.workflow import get
from tests import effect_workflows, frozen_workflows  # noqa: F401 registers them
from tests.factories import make_item, make_step, make_task
from tests.frozen_workflows import MEANWHILE
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def begun(user: Any, workflow: str = "outside", **params: Any) -> Task:
    task = start_task(workflow, {"items": 3, **params}, user=user)
    work.until_idle(task.pk)
    task.refresh_from_db()
    return task


def notes(task: Task) -> list[tuple[str, bool]]:
    rows = Checkpoint.objects.filter(task=task, kind="note").order_by("ordinal")
    return [(row.data["system"], row.data["frozen"]) for row in rows if "system" in row.data]


def test_nothing_is_written_to_it_and_everything_else_goes_on(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = begun(operator)
    assert task.step_counts == {
        "look": {"done": 3}, "send": {"pending": 3}, "tell": {"done": 3}, "jot": {"done": 3},
    }  # fmt: skip
    assert (task.status, task.frozen_systems) == ("waiting", "desk")
    assert ":send" not in " ".join(World().keys())
    assert set(Step.objects.filter(task=task, name="send").values_list("attempt", flat=True)) == {0}


def test_reading_from_it_is_never_held_back(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    send = get("outside").steps["send"]
    assert "desk" in frozen.why_not(send)
    assert frozen.why_not(replace(send, writes=False)) == ""


def test_after_the_thaw_it_is_done_once(operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = begun(operator)
    freeze.thaw("desk", admin)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.status, task.frozen_systems) == ("completed", "")
    assert len(World().keys()) == len(set(World().keys())) == 9
    assert list(differences(task)) == []


def test_the_journal_says_so_once_for_the_task_and_not_for_each_step(operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = begun(operator)
    work.until_idle(task.pk)
    assert notes(task) == [("desk", True)]
    freeze.thaw("desk", admin)
    work.until_idle(task.pk)
    assert notes(task) == [("desk", True), ("desk", False)]
    row = Checkpoint.objects.filter(task=task, kind="note").earliest("ordinal")
    assert row.data["text"] == "Waits: desk is frozen by ops. It is moved"


def test_a_task_that_runs_says_at_once_that_it_waits(operator: Any) -> None:
    task = make_task(workflow="outside", status="running")
    make_step(make_item(task), "send")
    freeze.freeze("desk", operator, "It is moved")
    task.refresh_from_db()
    assert (task.status, notes(task)) == ("waiting", [("desk", True)])


def test_a_task_that_is_let_in_says_so_before_any_worker_claims(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = start_task("outside-asked", {"items": 1}, user=operator)
    read.read_items(task.pk, threading.Event())
    task.refresh_from_db()
    assert (task.status, task.frozen_systems, notes(task)) == ("waiting", "desk", [("desk", True)])


def test_a_task_says_so_while_other_steps_of_it_are_begun(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = make_task(workflow="outside", status="running")
    make_step(make_item(task), "send")
    make_step(make_item(task), "look")
    with lifecycle.changing(task.pk, "worker") as change:
        assert [one.step.name for one in claim.claim(change, get("outside"), "me", 4)] == ["look"]
    task.refresh_from_db()
    assert (task.status, task.frozen_systems, notes(task)) == ("running", "desk", [("desk", True)])


def test_two_systems_are_told_apart(operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    freeze.freeze("post", operator, "The office is shut")
    task = begun(operator)
    assert task.frozen_systems == "desk, post"
    freeze.thaw("desk", admin)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert (task.frozen_systems, task.status) == ("post", "waiting")
    assert task.step_counts["send"] == {"done": 3}


def test_a_step_that_opens_in_the_transaction_of_another_one_is_held_back(operator: Any) -> None:
    MEANWHILE["look"] = lambda: freeze.freeze("desk", operator, "Just now") and None
    task = begun(operator)
    assert task.step_counts["send"] == {"pending": 3}
    assert task.step_counts["tell"] == {"done": 3}


def test_a_step_whose_approval_was_being_worked_out_is_held_back(operator: Any) -> None:
    MEANWHILE["approval"] = lambda: freeze.freeze("desk", operator, "Just now") and None
    task = begun(operator, "outside-asked", items=1)
    step = Step.objects.get(task=task)
    assert (step.status, step.attempt, step.lease_owner, step.reserved_micro) == ("pending", 0, "", 0)
    assert World().keys() == []


def test_nobody_is_asked_while_it_is_frozen(operator: Any, admin: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = begun(operator, "outside-asked", items=1, mode="ask")
    assert task.steps_in("waiting_approval") == 0
    freeze.thaw("desk", admin)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert task.steps_in("waiting_approval") == 1


def test_what_was_claimed_a_moment_before_is_not_called(operator: Any) -> None:
    task = make_task(workflow="outside", status="running")
    make_step(make_item(task), "send")
    spec = get("outside")
    with lifecycle.changing(task.pk, "worker") as change:
        (claimed,) = claim.claim(change, spec, "me", 1)
    freeze.freeze("desk", operator, "Just now")
    report = execute.execute(spec.owner, task, claimed)
    assert (type(report.ending).__name__, World().keys()) == ("TryAgain", [])
    assert "desk is frozen by ops" in report.ending.reason  # type: ignore[union-attr]
    assert report.ending.counts is False  # type: ignore[union-attr]


def test_what_is_in_flight_ends(operator: Any) -> None:
    MEANWHILE["send"] = lambda: freeze.freeze("desk", operator, "Just now") and None
    task = begun(operator, items=1)
    assert task.status == "completed"


def test_a_system_that_nothing_waits_for_is_not_noted(operator: Any) -> None:
    task = begun(operator)
    freeze.freeze("desk", operator, "It is moved")
    task.refresh_from_db()
    assert (task.status, task.frozen_systems, notes(task)) == ("completed", "", [])


def test_neither_sweep_nor_monitoring_takes_it_for_stuck(operator: Any) -> None:
    freeze.freeze("desk", operator, "It is moved")
    task = begun(operator)
    Task.objects.filter(pk=task.pk).update(last_claim_at=timezone.now() - timezone.timedelta(hours=1))
    assert sweep().woken == 0
    found = health.look(timezone.now())
    assert (found.due_steps, found.oldest_due_at) == (0, None)
    assert health.banner(timezone.now()) == ""


def test_steps_of_that_name_in_other_workflows_go_on(operator: Any) -> None:
    mine, other = make_task(workflow="outside"), make_task(workflow="vague")
    for task in (mine, other):
        make_step(make_item(task), "send")
    freeze.freeze("desk", operator, "It is moved")
    assert [step.task for step in frozen.passable(Step.objects.all())] == [other]


def test_the_thaw_wakes_what_waited(operator: Any, admin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[tuple[Any, ...]] = []
    freeze.freeze("desk", operator, "It is moved")
    waits, _goes_on = begun(operator), make_task(workflow="outside")
    monkeypatch.setattr(hints, "soon", lambda *job, **_options: woken.append(job))
    freeze.thaw("desk", admin)
    assert woken == [("taskboard.run_task", waits.pk)]


def test_operators_freeze_and_administrators_thaw(operator: Any, manager: Any, admin: Any) -> None:
    with pytest.raises(NotAllowed):
        freeze.freeze("desk", manager, "No")
    freeze.freeze("desk", operator, "It is moved")
    for person in (operator, manager):
        with pytest.raises(NotAllowed):
            freeze.thaw("desk", person)
    row = freeze.thaw("desk", admin, "It is back")
    assert (row.frozen_by, row.thawed_by, row.thaw_reason) == ("ops", "admin", "It is back")
    told = list(AuditEntry.objects.order_by("id").values_list("action", "actor", "target", "reason"))
    assert told == [("freeze", "ops", "desk", "It is moved"), ("thaw", "admin", "desk", "It is back")]


def test_what_cannot_be_is_said(operator: Any, admin: Any) -> None:
    with pytest.raises(BadInput, match="Say why"):
        freeze.freeze("desk", operator, "  ")
    with pytest.raises(NotFound, match="desk"):
        freeze.freeze("moon", operator, "It is far")
    with pytest.raises(WrongState, match="not frozen"):
        freeze.thaw("desk", admin)
    freeze.freeze("desk", operator, "It is moved")
    with pytest.raises(WrongState, match="frozen already"):
        freeze.freeze("desk", operator, "Once more")
    assert Freeze.objects.count() == 1


def test_it_lists_what_is_in_flight_and_what_waits_oldest_first(operator: Any) -> None:
    tasks = [make_task(workflow="outside", status="running") for _number in range(3)]
    for task in tasks:
        make_step(make_item(task), "send")
    flying = make_step(make_item(tasks[0]), "send", status="started", attempt=1, started_at=timezone.now())
    freeze.freeze("desk", operator, "It is moved")
    (desk,) = [one for one in freeze.systems() if one.name == "desk"]
    assert [task.pk for task, _steps in desk.waiting] == [task.pk for task in tasks]
    assert ([step.pk for step in desk.flying], desk.waiting_count) == ([flying.pk], 3)
