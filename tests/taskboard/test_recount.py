"""checktasks: counters, money and journal against the rows."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from taskboard import lifecycle
from taskboard.lifecycle import StepMove
from taskboard.models import Kind, Step, StepStatus, Task
from taskboard.recount import differences
from tests.documents import example, load

pytestmark = pytest.mark.django_db


def test_an_imported_task_agrees() -> None:
    assert list(differences(load(example()))) == []


def test_a_move_with_its_journal_row_agrees() -> None:
    task = load(example())
    with lifecycle.changing(task.pk, "ops") as change:
        lifecycle.move_steps(change, [StepMove(task.steps.get(name="notify"), StepStatus.DONE)])
        change.record(Kind.RESULT, item="page_087", step="notify", data={"to": "done"})
    assert list(differences(task)) == []


def wrong_item_counter(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(counts={**task.counts, "items": {**task.item_counts, "done": 85}})


def wrong_progress(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(progress=7, stuck_items=3)


def wrong_step_counter(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(counts={**task.counts, "steps": {}})


def wrong_spent(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(spent_micro=1)


def wrong_reserved(task: Task) -> None:
    task.steps.filter(name="notify").update(reserved_micro=5)


def wrong_last_ordinal(task: Task) -> None:
    Task.objects.filter(pk=task.pk).update(last_ordinal=7)


def gap_in_the_journal(task: Task) -> None:
    task.journal.create(ordinal=3, at=task.updated_at, kind=Kind.NOTE)
    Task.objects.filter(pk=task.pk).update(last_ordinal=3)


def row_that_moved_alone(task: Task) -> None:
    wrote(task, "notify", "done")


def journal_of_no_step(task: Task) -> None:
    wrote(task, "apply_fix", "started")


def status_that_moved_alone(task: Task) -> None:
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.STATUS, data={"from": "running", "to": "paused"})


def wrote(task: Task, step: str, to: str) -> None:
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.RESULT, item="page_087", step=step, data={"to": to})


SPOILT: list[tuple[Callable[[Task], None], str]] = [
    (wrong_item_counter, "items.done: the counter says 85, the rows are 86."),
    (wrong_progress, "progress: the task says 7, its counters make 440."),
    (wrong_progress, "stuck_items: the task says 3, its counters make 2."),
    (wrong_step_counter, "steps.notify.started: the counter says 0, the rows are 1."),
    (wrong_spent, "budget.spent: the task says 0.000001 USD, the ledger adds up to 7.35."),
    (wrong_reserved, "budget.reserved: the task says 0.00 USD, its steps reserve 0.000005."),
    (wrong_last_ordinal, "journal.last: the task says 7, the newest row is 1."),
    (gap_in_the_journal, "journal.ordinals: 2 rows go from 1 to 3; some are missing."),
    (row_that_moved_alone, "items.page_087.steps.notify: the row is started, the journal says done."),
    (
        journal_of_no_step,
        "items.page_087.steps.apply_fix: the journal says started, but there is no such step.",
    ),
    (status_that_moved_alone, "status: the task is running, its journal says paused."),
]


@pytest.mark.parametrize(("spoil", "sentence"), SPOILT, ids=[spoil.__name__ for spoil, _ in SPOILT])
def test_it_finds_a(spoil: Callable[[Task], None], sentence: str) -> None:
    task = load(example())
    spoil(task)
    assert sentence in list(differences(task))


def test_a_result_carried_over_after_a_go_back_needs_no_row_of_its_own() -> None:
    task = load(example())
    step = task.steps.get(name="create_ticket")
    with lifecycle.changing(task.pk, "ops") as change:
        lifecycle.move_steps(change, [StepMove(step, StepStatus.SUPERSEDED)])
        change.record(Kind.SUPERSEDED, item="page_087", step="create_ticket", data={"to": "superseded"})
        again = Step(
            task=task,
            item=step.item,
            name=step.name,
            position=1,
            revision=2,
            status="done",
            executed_at=change.now,
        )
        lifecycle.open_steps(change, [again])
    assert list(differences(task)) == []


def test_the_command_says_that_all_agree(capsys: pytest.CaptureFixture[str]) -> None:
    load(example())
    call_command("checktasks")
    assert capsys.readouterr().out == "All 1 tasks agree.\n"


def test_the_command_fails_on_any_difference(capsys: pytest.CaptureFixture[str]) -> None:
    task = load(example())
    wrong_spent(task)
    with pytest.raises(CommandError, match="1 differences in 1 tasks"):
        call_command("checktasks", task.public_id)
    assert capsys.readouterr().out.startswith("task_20260917_0042: budget.spent: ")
