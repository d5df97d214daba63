"""The four answers to starting work that exists."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from taskboard import existing
from taskboard.engine import work
from taskboard.existing import Answer
from taskboard.models import Task
from taskboard.start import start_task
from taskboard.steering import steer

pytestmark = pytest.mark.django_db(transaction=True)
PARAMS = {"items": 1}


def look(**params: Any) -> existing.Existing:
    return existing.look("linear", params or PARAMS, timezone.now())


def age(task: Task, **ago: float) -> None:
    Task.objects.filter(pk=task.pk).update(updated_at=timezone.now() - timedelta(**ago))


def run(*words: str) -> list[str]:
    out = StringIO()
    call_command("starttask", "linear", "--param=items=1", "--as=ops", *words, stdout=out)
    return out.getvalue().splitlines()


@pytest.fixture
def task(operator: Any) -> Task:
    return start_task("linear", PARAMS, user=operator)


def test_other_parameters_and_other_workflows_are_other_work(task: Task) -> None:
    assert look(items=2).answer == Answer.NONE
    assert existing.look("moody", PARAMS, timezone.now()).answer == Answer.NONE


def test_parameters_are_compared_as_the_form_reads_them(task: Task) -> None:
    assert look(mode="", items="1").task == task


def test_in_progress(task: Task) -> None:
    found = look()
    assert (found.answer, found.task) == (Answer.IN_PROGRESS, task)
    assert found.sentence == f"Task {task.public_id} of ops is at this already: Pending."


def test_untouched_for_long(task: Task) -> None:
    age(task, days=4)
    assert look().answer == Answer.UNTOUCHED
    assert "untouched since" in look().sentence


def test_finished(task: Task) -> None:
    work.until_idle(task.pk)
    assert look().answer == Answer.FINISHED
    assert f"Task {task.public_id} did this already: Completed on" in look().sentence


def test_one_that_goes_on_is_named_before_one_that_is_finished(operator: Any, task: Task) -> None:
    work.until_idle(task.pk)
    second = start_task("linear", PARAMS, user=operator)
    start_task("linear", {"items": 3}, user=operator)
    assert look().task == second


def test_a_cancelled_one_is_none(operator: Any, task: Task) -> None:
    steer.cancel(task, operator)
    assert look().answer == Answer.NONE


def test_the_command_names_the_one_in_progress_instead_of_starting_it_twice(task: Task) -> None:
    assert run()[-1] == task.public_id
    assert Task.objects.count() == 1


def test_the_command_wants_a_word_about_one_that_was_left(operator: Any, task: Task) -> None:
    steer.pause(task, operator)
    age(task, days=4)
    with pytest.raises(CommandError, match="say --continue, to start afresh --anew"):
        run()
    assert run("--continue")[-1] == task.public_id
    assert Task.objects.get().status == "pending"


def test_the_command_wants_a_word_about_one_that_is_finished(task: Task) -> None:
    work.until_idle(task.pk)
    for words in ((), ("--continue",)):
        with pytest.raises(CommandError, match=f"{task.public_id} did this already.* say --anew"):
            run(*words)
    out = StringIO()
    call_command("starttask", "linear", "--param=items=1", "--as=ops", "--anew", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["existed"], told["former"]) == ("finished", task.public_id)
    assert Task.objects.get(public_id=told["task_id"]).continues == task


def test_what_goes_on_by_itself_is_not_resumed(operator: Any, task: Task) -> None:
    assert existing.go_on(task, operator, timezone.now()) is False
    assert Task.objects.get().restart_count == 0


def test_other_callers_start_what_they_want(operator: Any, task: Task) -> None:
    assert start_task("linear", PARAMS, user=operator) != task
