"""The list of tasks."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from taskboard.models import ItemStatus
from tests.conftest import logged_in
from tests.factories import make_item, make_task


def test_it_shows_a_task_in_words_and_numbers(operator: AbstractBaseUser) -> None:
    task = make_task(goal="Audit the shop", limit_micro=20_000_000, spent_micro=7_350_000)
    make_item(task, status=ItemStatus.DONE)
    make_item(task)
    page = logged_in(operator).get("/").content.decode()
    assert "Audit the shop" in page
    assert "1 of 2 items are done." in page
    assert "$7.35" in page
    assert "of $20.00" in page


def test_it_is_empty_and_friendly_at_first(operator: AbstractBaseUser) -> None:
    page = logged_in(operator).get("/").content.decode()
    assert "No tasks yet" in page
    assert "/tasks/new/" in page


def test_a_manager_is_not_offered_to_start_one(manager: AbstractBaseUser) -> None:
    assert "/tasks/new/" not in logged_in(manager).get("/").content.decode()


def test_the_newest_come_first_and_older_ones_are_paged_by_key(operator: AbstractBaseUser) -> None:
    tasks = [make_task(goal=f"Goal number {n:03}") for n in range(52)]
    client = logged_in(operator)
    first = client.get("/").content.decode()
    assert first.index("Goal number 051") < first.index("Goal number 050")
    assert "Goal number 001" not in first
    assert f"?before={tasks[2].pk}" in first
    older = client.get(f"/?before={tasks[2].pk}").content.decode()
    assert "Goal number 001" in older
    assert "Goal number 002" not in older


def test_the_number_of_queries_does_not_grow_with_the_tasks(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    make_task()
    one = count_queries(client)
    for _ in range(20):
        make_item(make_task())
    assert count_queries(client) == one


def count_queries(client: Client) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/").status_code == 200
    return len(captured)
