"""Instructions: queued in order, taken up by the next step that starts, word for word."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from taskboard import instruction_queue
from taskboard.engine import work
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from taskboard.models import Checkpoint, Instruction, Step, Task
from taskboard.recount import differences
from taskboard.resume import brief
from taskboard.start import start_task
from taskboard.steering import instructions
from tests import steered_workflows
from tests.factories import make_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def task(operator: Any) -> Task:
    steered_workflows.HEARD.clear()
    return start_task("listening", {"items": 2}, user=operator)


def test_the_next_step_that_starts_takes_up_all_that_wait_and_only_it(operator: Any, task: Task) -> None:
    instructions.add(task, operator, "Leave the blog alone.\nIt is new.")
    instructions.add(task, operator, "Be polite")
    work.until_idle(task.pk)
    heard = steered_workflows.HEARD
    assert heard[0] == ("item_001.listen", ("Leave the blog alone.\nIt is new.", "Be polite"))
    assert [words for _step, words in heard[1:]] == [()]
    assert set(Instruction.objects.values_list("taken_up_by", flat=True)) == {"item_001.listen"}
    assert Task.objects.get(pk=task.pk).open_instructions == 0
    assert list(differences(task)) == []


def test_they_are_marked_in_the_transaction_of_the_intent(operator: Any, task: Task) -> None:
    instructions.add(task, operator, "now")
    work.until_idle(task.pk)
    intent = Checkpoint.objects.filter(task=task, kind="intent").order_by("ordinal")[0]
    noted = Checkpoint.objects.get(task=task, kind="note")
    assert Instruction.objects.get().taken_up_at == intent.at == noted.at


def test_a_second_attempt_reads_them_again(operator: Any) -> None:
    steered_workflows.HEARD.clear()
    task = start_task("listening", {"items": 1, "mode": "twice"}, user=operator)
    instructions.add(task, operator, "once more")
    work.until_idle(task.pk)
    Step.objects.filter(task=task).update(due_at=None)
    work.until_idle(task.pk)
    assert [words for _step, words in steered_workflows.HEARD] == [("once more",)] * 2


def test_the_order_can_be_changed_and_one_can_be_taken_back(operator: Any, task: Task) -> None:
    first, second, third = (instructions.add(task, operator, text) for text in ("a", "b", "c"))
    instructions.reorder(task, operator, third.pk, 1)
    instructions.delete(task, operator, second.pk)
    assert [one.text for one in instruction_queue.queued(task)] == ["c", "a"]
    assert Task.objects.get(pk=task.pk).open_instructions == 2
    assert first.added_by == "ops"


def test_one_of_another_task_is_not_found(operator: Any, task: Task) -> None:
    one = instructions.add(task, operator, "a")
    with pytest.raises(NotFound, match="no such instruction in this task"):
        instructions.delete(make_task(), operator, one.pk)
    assert Instruction.objects.get() == one


def test_what_was_taken_up_cannot_be_taken_back(operator: Any, task: Task) -> None:
    one = instructions.add(task, operator, "a")
    work.until_idle(task.pk)
    with pytest.raises(WrongState, match=r"taken up by item_001\.listen already"):
        instructions.delete(task, operator, one.pk)


def test_only_so_many_wait(operator: Any, task: Task) -> None:
    for number in range(instructions.MOST_OPEN):
        instructions.add(task, operator, f"number {number}")
    with pytest.raises(WrongState, match="20 instructions wait already"):
        instructions.add(task, operator, "one more")


@pytest.mark.parametrize("text", ["", " \n", "x" * 2001])
def test_nothing_and_too_much_are_refused(operator: Any, task: Task, text: str) -> None:
    with pytest.raises(BadInput):
        instructions.add(task, operator, text)


def test_a_finished_task_takes_none(operator: Any) -> None:
    with pytest.raises(WrongState, match="no step would read this"):
        instructions.add(make_task(status="completed"), operator, "late")


def test_only_operators_instruct(manager: Any, task: Task) -> None:
    with pytest.raises(NotAllowed):
        instructions.add(task, manager, "a")


def test_the_brief_holds_them_word_for_word_queued_and_taken_up(operator: Any, task: Task) -> None:
    instructions.add(task, operator, "Leave the blog alone")
    assert "ops, queued: Leave the blog alone" in brief.write(Task.objects.get(pk=task.pk))
    work.until_idle(task.pk)
    told = brief.write(Task.objects.get(pk=task.pk))
    assert "ops, taken up by item_001.listen: Leave the blog alone" in told


def test_the_command_adds_lists_moves_and_deletes(operator: Any, task: Task) -> None:
    def run(*words: str) -> str:
        out = StringIO()
        call_command("instruct", task.public_id, *words, "--as=ops", stdout=out)
        return out.getvalue()

    run("first")
    assert "ops, queued: second" in run("second")
    first, second = Instruction.objects.order_by("pk")
    assert run("--move", str(second.pk), "1").splitlines()[0].endswith("second")
    assert "first" not in run("--delete", str(first.pk))
