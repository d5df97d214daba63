"""A person takes what needs attention; two never hold the same."""

import re
import threading
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from taskboard import attention, attention_taken
from taskboard.errors import BadInput, NotAllowed, NotFound, WrongState
from taskboard.live import Channel
from taskboard.models import AttentionTaken, Heartbeat, ItemStatus, Step, StepStatus, Task, TaskStatus
from taskboard.views.regions import look
from tests.background import Background
from tests.conftest import logged_in, make_person
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _processes(db: None) -> None:
    now = timezone.now()
    for role in Heartbeat.Role:
        Heartbeat.objects.create(owner=role, role=role, started_at=now, seen_at=now)


@pytest.fixture
def anna(db: None) -> Any:
    return make_person("anna", "Operators")


@pytest.fixture
def step() -> Step:
    return make_step(
        make_item(make_task(updated_at=timezone.now())), "send", status=StepStatus.UNKNOWN, attempt=1
    )


def key(step: Step) -> str:
    return attention.key_of_step(step)


def read(user: Any) -> str:
    response = logged_in(user).get("/attention/")
    assert response.status_code == 200
    return str(response.content.decode())


def test_the_others_see_who_is_at_it(operator: Any, anna: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    assert "taken by ops, " in read(anna)
    assert "taken by you" in read(operator)


def test_the_second_one_hears_who_was_first(operator: Any, anna: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    with pytest.raises(WrongState, match="ops has it already: taken just now"):
        attention_taken.take(anna, "step", key(step))
    attention_taken.take(operator, "step", key(step))
    assert AttentionTaken.objects.count() == 1


def test_it_is_taken_over_only_from_the_one_who_is_named(operator: Any, anna: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    with pytest.raises(WrongState):
        attention_taken.take(anna, "step", key(step), former="somebody")
    attention_taken.take(anna, "step", key(step), former="ops")
    assert AttentionTaken.objects.get().taken_by_name == "anna"
    with pytest.raises(WrongState, match="You do not have it"):
        attention_taken.give_back(operator, "step", key(step))


def test_given_back_it_is_free(operator: Any, anna: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    attention_taken.give_back(operator, "step", key(step))
    attention_taken.take(anna, "step", key(step))
    assert AttentionTaken.objects.get().taken_by_name == "anna"


def test_another_attempt_is_another_matter(operator: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    Step.objects.filter(pk=step.pk).update(attempt=2)
    assert "taken by you" not in read(operator)


@pytest.mark.parametrize("name", ["", "x", "1:1", "99999:1:unknown", "1" * 400, "²:1:unknown", "a|b|c"])
@pytest.mark.parametrize("kind", ["step", "cause", "still"])
def test_what_needs_nobody_cannot_be_taken(operator: Any, kind: str, name: str) -> None:
    with pytest.raises(NotFound, match="needs nobody any more"):
        attention_taken.take(operator, kind, name)


@pytest.mark.parametrize("status", [StepStatus.DONE, StepStatus.STARTED, StepStatus.PENDING])
def test_a_step_that_needs_nobody_cannot_be_taken(operator: Any, step: Step, status: str) -> None:
    Step.objects.filter(pk=step.pk).update(status=status)
    step.refresh_from_db()
    with pytest.raises(NotFound):
        attention_taken.take(operator, "step", key(step))


def test_a_task_that_moved_since_the_page_was_opened_cannot_be_taken(operator: Any) -> None:
    task = make_task()
    before = attention.key_of_task(task)
    Task.objects.filter(pk=task.pk).update(last_ordinal=task.last_ordinal + 1)
    with pytest.raises(NotFound):
        attention_taken.take(operator, "still", before)


def test_who_may_no_longer_operate_gives_nothing_back(operator: Any, step: Step) -> None:
    attention_taken.take(operator, "step", key(step))
    operator.groups.clear()
    with pytest.raises(NotAllowed):
        attention_taken.give_back(type(operator).objects.get(pk=operator.pk), "step", key(step))
    assert AttentionTaken.objects.exists()


def test_an_unknown_kind_and_a_person_without_the_right_are_refused(
    operator: Any, manager: Any, step: Step
) -> None:
    with pytest.raises(BadInput):
        attention_taken.take(operator, "nonsense", key(step))
    with pytest.raises(NotAllowed):
        attention_taken.take(manager, "step", key(step))


def test_a_cause_is_taken_and_tried_again_as_a_whole(operator: Any) -> None:
    task = make_task(updated_at=timezone.now())
    for _ in range(3):
        make_step(make_item(task), "send", status=StepStatus.FAILED, error_class="Time out", finished_at=NOW)
    make_step(make_item(task), "send", status=StepStatus.FAILED, error_class="Other", finished_at=NOW)
    attention_taken.take(operator, "cause", f"{task.public_id}|send|Time out")
    html = read(operator)
    assert "taken by you" in html
    assert "Try all again" in html
    link = re.search(r'href="([^"]*/bulk/[^"]*error=Time[^"]*)"', html)
    assert link
    plan = logged_in(operator).get(unescape(link[1]))
    assert plan.context["plan"].total == 3


def test_a_running_task_without_a_word_for_long_stands_still(operator: Any) -> None:
    task = make_task(goal="Slow one", updated_at=NOW)
    Task.objects.filter(pk=task.pk).update(updated_at=timezone.now() - timedelta(minutes=20))
    task.refresh_from_db()
    html = read(operator)
    assert "Running, but nothing moves" in html
    assert "nothing is at work" in html
    attention_taken.take(operator, "still", attention.key_of_task(task))
    assert "taken by you" in read(operator)
    Task.objects.filter(pk=task.pk).update(status=TaskStatus.PAUSED)
    assert "Running, but nothing moves" not in read(operator)


def test_from_the_page_it_is_a_post_and_the_list_comes_anew(operator: Any, anna: Any, step: Step) -> None:
    fields = {"kind": "step", "key": key(step)}
    answer = logged_in(operator).post("/attention/take/", fields)
    assert answer["Location"] == "/attention/"
    answer = logged_in(operator).post("/attention/take/", fields, headers={"HX-Request": "true"})
    assert '<hx-partial hx-target="#needs"' in answer.content.decode()
    assert "taken by you" in answer.content.decode()
    answer = logged_in(anna).post("/attention/take/", fields, headers={"HX-Request": "true"})
    assert answer.status_code == 409
    assert "ops has it already" in answer.content.decode()
    assert logged_in(operator).get("/attention/take/").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_a_page_hears_that_its_list_is_old(operator: Any, step: Step) -> None:
    seen = attention.fingerprint(timezone.now())
    channel = Channel("attention", 0, 0, "en", "UTC", seen)
    assert look({channel: None})[channel].regions["#attention-news"] == ""
    attention_taken.take(operator, "step", key(step))
    assert "The list has changed" in look({channel: None})[channel].regions["#attention-news"]


def test_the_navigation_counts_the_tasks_that_need_a_person(manager: Any, db: None) -> None:
    make_item(make_task(), status=ItemStatus.BLOCKED)
    make_item(make_task(status=TaskStatus.COMPLETED), status=ItemStatus.FAILED)
    make_item(make_task(status=TaskStatus.CANCELLED), status=ItemStatus.FAILED)
    make_item(make_task(), status=ItemStatus.RUNNING)
    assert attention.count() == 2
    assert 'id="attention-badge">2<' in read(manager)


def test_many_rows_are_bounded_and_cost_no_more_queries(operator: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(attention, "MOST", 3)
    client, task = logged_in(operator), make_task(updated_at=timezone.now())

    def seen() -> tuple[str, int]:
        for _ in range(3):
            item = make_item(task)
            make_step(item, "send", status=StepStatus.UNKNOWN, started_at=NOW)
            make_step(item, f"step_{item.pk}", status=StepStatus.FAILED, finished_at=NOW)
        with CaptureQueriesContext(connection) as queries:
            html = client.get("/attention/").content.decode()
        return html, len(queries)

    seen()
    few, many = seen(), seen()
    assert few[1] == many[1]
    assert many[0].count("/happened/") == 3 * 2
    assert "The 3 oldest are shown." in many[0]


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_moment_exactly_one_has_it(operator: Any, anna: Any, step: Step) -> None:
    barrier, refused = threading.Barrier(2), list[str]()

    def reach(person: Any) -> None:
        barrier.wait(20)
        try:
            attention_taken.take(person, "step", key(step))
        except WrongState as error:
            refused.append(error.message)

    both = [Background(reach, person) for person in (operator, anna)]
    for one in both:
        one.end()
    holder = AttentionTaken.objects.get().taken_by_name
    assert len(refused) == 1
    assert refused[0].startswith(f"{holder} has it already")
