"""The list of tasks."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from approvals.models import Approval
from taskboard import lifecycle
from taskboard.models import ItemStatus, Task, TaskStatus
from taskboard.views.listing import news_html
from taskboard.views.task_rows import row_html
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_task

HOSTILE = (
    '<img src=x onerror=alert(1)>{{7*7}}"><svg onload=alert(1)></script><script>alert(1)</script>\u202egnp'
)


def shown(client: Client, address: str = "/") -> str:
    return client.get(address).content.decode()


def test_it_shows_a_task_in_words_and_numbers(operator: AbstractBaseUser) -> None:
    task = make_task(goal="Audit the shop", limit_micro=20_000_000, spent_micro=7_350_000)
    make_item(task, status=ItemStatus.DONE)
    make_item(task)
    make_item(task, status=ItemStatus.FAILED)
    page = shown(logged_in(operator))
    for words in ("Audit the shop", "1 of 3 done", "1 failed", "$7.35", "of $20.00", "Running", "ops"):
        assert words in page


def test_it_says_whom_a_task_waits_for_and_since_when(operator: AbstractBaseUser) -> None:
    first = make_approval()
    make_item(first.task)
    Approval.objects.update(requested_at=timezone.now() - timedelta(hours=2))
    page = shown(logged_in(operator))
    assert "Managers · 1 · oldest" in page
    assert "2 h ago" in page


def test_it_is_empty_and_friendly_at_first(operator: AbstractBaseUser) -> None:
    page = shown(logged_in(operator))
    assert "No tasks yet" in page
    assert "/tasks/new/" in page


def test_a_manager_is_not_offered_to_start_one(manager: AbstractBaseUser) -> None:
    assert "/tasks/new/" not in shown(logged_in(manager))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/?tab=running", "Nothing runs"),
        ("/?tab=queue", "The queue is empty"),
        ("/?tab=waiting", "Nothing waits"),
        ("/?tab=attention", "Nothing needs you"),
        ("/?tab=finished", "Nothing is finished yet"),
        ("/?q=nosuch", "No task matches"),
    ],
)
def test_every_list_says_why_it_is_empty(operator: AbstractBaseUser, address: str, words: str) -> None:
    assert words in shown(logged_in(operator), address)


def test_the_newest_come_first_and_older_ones_are_paged_by_key(operator: AbstractBaseUser) -> None:
    tasks = [make_task(goal=f"Goal number {n:03}") for n in range(52)]
    client = logged_in(operator)
    first = shown(client)
    assert first.index("Goal number 051") < first.index("Goal number 050")
    assert "Goal number 001" not in first
    following = f"?after={tasks[2].pk}~{tasks[2].pk}"
    assert following in first
    older = shown(client, f"/{following}")
    assert "Goal number 001" in older
    assert "Goal number 002" not in older


def test_tab_search_and_order_stand_in_the_address_and_in_every_link(operator: AbstractBaseUser) -> None:
    for n in range(51):
        make_task(goal=f"Shop {n:02}", spent_micro=n, status=TaskStatus.WAITING)
    page = shown(logged_in(operator), "/?tab=waiting&q=shop&sort=-cost")
    assert 'value="shop"' in page
    assert "tab=waiting&amp;q=shop&amp;sort=-cost&amp;after=" in page
    assert "/tasks.csv?tab=waiting&amp;q=shop&amp;sort=-cost" in page
    assert 'href="/?tab=running&amp;q=shop&amp;sort=-cost"' in page
    assert page.index("Shop 50") < page.index("Shop 49")
    assert 'aria-sort="descending"' in page


def test_a_faulty_search_is_told_at_the_field_and_kept(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).get("/?tab=running&q=shop+colour%3Ared")
    page = response.content.decode()
    assert response.status_code == 422
    assert "There is no “colour:” to search by." in page
    assert 'value="shop colour:red"' in page
    assert 'name="tab" value="running"' in page


def test_each_word_can_be_taken_out_of_the_search(operator: AbstractBaseUser) -> None:
    page = shown(logged_in(operator), "/?q=status:running+shop")
    assert 'href="?q=shop"' in page
    assert 'href="?q=status%3Arunning"' in page


def test_foreign_text_is_only_text(operator: AbstractBaseUser) -> None:
    task = make_task(goal=HOSTILE, says=HOSTILE, created_by_name=HOSTILE[:150], workflow=HOSTILE[:100])
    for page in (
        shown(logged_in(operator), f"/?q={quote(HOSTILE)}"),
        shown(logged_in(operator)),
        row_html(task),
    ):
        assert "<img" not in page.replace('<img src="/static/', "")
        assert "<svg onload" not in page
        assert "<script>alert" not in page
        assert "{{7*7}}" in page
    assert "\u202e" not in row_html(task)


def test_the_number_of_queries_does_not_grow_with_the_tasks(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    make_approval()
    one = count_queries(client)
    for _ in range(20):
        make_approval()
    assert count_queries(client) == one
    assert count_queries(client, "/?tab=waiting&q=status:waiting&sort=-progress") == one


def count_queries(client: Client, address: str = "/") -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_one_address_answers_page_or_part(operator: AbstractBaseUser) -> None:
    make_task()
    client = logged_in(operator)
    part = client.get("/?tab=running", headers={"HX-Request": "true"})
    again = client.get("/?tab=running", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})
    whole = client.get("/?tab=running")
    assert "<html" not in part.content.decode()
    assert "<html" in again.content.decode()
    assert "<html" in whole.content.decode()
    for response in (part, again, whole):
        assert {"HX-Request", "Accept"} <= set(response["Vary"].split(", "))
        assert response["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_a_line_changes_with_what_it_shows() -> None:
    task = make_task(goal="Before")
    assert "Before" in row_html(task)
    with lifecycle.changing(task.pk, "ops") as change:
        lifecycle.move_task(change, TaskStatus.PAUSED)
    assert "Paused" in row_html(Task.objects.get(pk=task.pk))


@pytest.mark.django_db
def test_news_count_what_belongs_to_the_list_and_is_not_shown_yet() -> None:
    known = make_task(status=TaskStatus.WAITING)
    watched = f"tab=waiting&rows={known.pk}"
    assert "more task" not in news_html(watched)["#announce"]
    make_task()
    other = make_task(status=TaskStatus.WAITING)
    news = news_html(watched)
    assert "1 more task belongs here now" in news["#announce"]
    assert 'href="/?tab=waiting"' in news["#announce"]
    assert news["#tabs"].count('class="count">2<') == 1
    assert "more task" not in news_html(f"{watched},{other.pk}")["#announce"]


@pytest.mark.django_db
def test_a_later_page_announces_nothing() -> None:
    make_task()
    assert news_html("tab=")["#announce"].strip() == ""


@pytest.mark.django_db
def test_what_cannot_be_searched_has_no_news() -> None:
    assert news_html("q=colour:red&rows=") == {}
