"""A task whose budget nobody raised: every place says who refused it, and none that somebody is still asked."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals.models import Approval
from taskboard import lifecycle, summary
from taskboard.gates import gate
from taskboard.models import StepStatus, Task, TaskStatus
from tests.approvals.answers import answer, sweep
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

HTMX = {"HX-Request": "true"}
REFUSED = "manager refused to raise it ("
WHY = "): “no money left”. Ask a manager to press Budget … on the page of the task, or cancel it."


def short_of_money() -> Task:
    money: dict[str, Any] = {"limit_micro": 20_000_000, "spent_micro": 19_900_000, "out_of_budget": True}
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED, **money)
    make_step(make_item(task, status="running"), "look", status=StepStatus.PENDING)
    with lifecycle.changing(task.pk, "worker") as change:
        gate().ask_for_budget(change, 200_000)
    return task


@pytest.fixture
def refused(db: None, manager: User) -> Task:
    task = short_of_money()
    answer(Approval.objects.get(), manager, "reject", "no money left")
    sweep()
    return task


@pytest.mark.parametrize("place", ["/", "/attention/", "task"])
def test_every_page_says_who_refused_and_what_to_do(operator: User, refused: Task, place: str) -> None:
    address = refused.get_absolute_url() if place == "task" else place
    html = logged_in(operator).get(address).content.decode()
    assert REFUSED in html
    assert WHY[:30] in html
    assert "A manager is asked to raise it" not in html


def test_scripts_read_the_same(operator: User, refused: Task) -> None:
    client = logged_in(operator)
    told = [client.get("/tasks.json").json()["tasks"][0], client.get("/attention.json").json()["stopped"][0]]
    assert all(REFUSED in one["why"] and one["why"].endswith(WHY) for one in told)


def test_a_resume_in_vain_says_it_too(operator: User, refused: Task) -> None:
    response = logged_in(operator).post(f"{refused.get_absolute_url()}resume/", headers=HTMX)
    html = response.content.decode()
    assert "It stays blocked." in html
    assert REFUSED in html
    assert "answer the question" not in html


def test_while_the_question_is_open_a_manager_is_asked(operator: User) -> None:
    html = logged_in(operator).get(short_of_money().get_absolute_url()).content.decode()
    assert "A manager is asked to raise it." in html
    assert "1 question is open." in html  # what cancelling would withdraw


def test_a_question_that_nobody_answered_names_nobody(db: None) -> None:
    task = short_of_money()
    asked = Approval.objects.get()
    Approval.objects.update(status="expired", verdict="reject", closed_at=asked.requested_at)
    told = summary.still_blocked(task)
    assert "Nobody said whether to raise it, and the question is closed (" in told
    assert "refused" not in told


def test_many_are_asked_for_by_one_query(manager: User, django_assert_num_queries: Any) -> None:
    tasks = [short_of_money() for _ in range(3)]
    for asked in Approval.objects.all():
        answer(asked, manager, "reject", "no money left")
    with django_assert_num_queries(1):
        assert set(summary.refusals(tasks)) == {task.pk for task in tasks}
    others = [make_task(status=TaskStatus.BLOCKED), make_task(out_of_budget=True)]
    with django_assert_num_queries(0):
        assert not summary.refusals(others)
