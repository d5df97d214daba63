"""The items table: filters, orders, pages by key, and what of it is live."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from taskboard.models import Item, ItemStatus, StepStatus, Task
from taskboard.selection import amount
from taskboard.views import items
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_step, make_task


@pytest.fixture
def task(db: None) -> Task:
    """Five items of the workflow `linear` that stand in different places."""
    task = make_task(workflow="linear")
    for number, (key, status, step) in enumerate(
        [
            ("alpha", ItemStatus.DONE, StepStatus.DONE),
            ("beta", ItemStatus.FAILED, StepStatus.FAILED),
            ("gamma", ItemStatus.RUNNING, StepStatus.STARTED),
            ("delta", ItemStatus.BLOCKED, StepStatus.UNKNOWN),
            ("epsilon", ItemStatus.PENDING, StepStatus.PENDING),
        ]
    ):
        times = {"updated_at": NOW + timedelta(minutes=number), "cost_micro": 10_000 * number}
        item = make_item(task, key, status=status, label=f"Page {key.upper()}", **times)
        make_step(item, "look", status=step, error_class="Timeout" if step == StepStatus.FAILED else "")
    for name in ("write", "tell"):
        make_step(Item.objects.get(task=task, key="alpha"), name, status=StepStatus.SKIPPED)
    return task


def html(client: Client, task: Task, query: str) -> str:
    response = client.get(f"{task.get_absolute_url()}?{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def keys(page: str) -> list[str]:
    return re.findall(r'item-key"><bdi>(\w+)</bdi>', page)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", "alpha beta gamma delta epsilon"),
        ("status=failed", "beta"),
        ("status=nonsense", "alpha beta gamma delta epsilon"),
        ("text=PAGE+beta", "beta"),
        ("text=elt", "delta"),
        ("text=%25", ""),
        ("step=look&at=done", "alpha"),
        ("step=look&at=running", "gamma"),
        ("step=look&at=blocked", "delta"),
        ("step=look&at=pending", "epsilon"),
        ("step=write&at=skipped", "alpha"),
        ("step=write&at=pending", "gamma delta epsilon"),
        ("step=write", "alpha gamma delta epsilon"),
        ("error=Timeout", "beta"),
        ("step=look&error=Timeout", "beta"),
        ("cost=%3E0.02", "delta epsilon"),
        ("cost=%3C+0.01", "alpha"),
        ("cost=0%2C03", "epsilon"),
        ("status=blocked&cost=%3E0.02&text=page", "delta"),
        ("sort=key", "alpha beta delta epsilon gamma"),
        ("sort=-cost", "epsilon delta gamma beta alpha"),
        ("sort=updated", "alpha beta gamma delta epsilon"),
        ("sort=-updated&status=blocked", "delta"),
        ("sort=-place", "epsilon delta gamma beta alpha"),
    ],
)
def test_filters_and_orders(operator: AbstractBaseUser, task: Task, query: str, found: str) -> None:
    assert keys(html(logged_in(operator), task, query)) == found.split()


def test_every_number_of_the_funnel_leads_to_as_many_items(operator: AbstractBaseUser, task: Task) -> None:
    client = logged_in(operator)
    page = html(client, task, "")
    links = re.findall(r'href="\?(step=[^"]+)#items-title">(?:<b>)?(?:of )?(\d+)', page)
    assert len(links) > 8
    for query, number in links:
        assert len(keys(html(client, task, query.replace("&amp;", "&")))) == int(number), query


def test_a_cost_that_is_none_is_said_at_the_field_and_loses_nothing(
    operator: AbstractBaseUser, task: Task
) -> None:
    page = html(logged_in(operator), task, "cost=cheap&text=page&status=blocked")
    assert "Write a cost as &gt; 0.05 or &lt; 2" in page
    assert 'value="cheap"' in page
    assert 'aria-invalid="true"' in page
    assert keys(page) == ["delta"]


def test_what_is_set_can_be_taken_away_one_by_one(operator: AbstractBaseUser, task: Task) -> None:
    page = html(logged_in(operator), task, "step=look&at=failed&text=page&sort=-cost")
    assert 'href="?text=page&amp;sort=-cost#items-title"' in page
    assert 'href="?step=look&amp;at=failed&amp;sort=-cost#items-title"' in page


@pytest.mark.parametrize("sort", ["place", "-place", "key", "-key", "cost", "-cost", "updated", "-updated"])
def test_pages_follow_each_other_without_gap_or_double(
    db: None, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items, "PER_PAGE", 3)
    task = make_task(workflow="linear")
    for number in range(8):
        make_item(task, f"k{number}", cost_micro=number // 3, updated_at=NOW)
    seen: list[str] = []
    window = items.window(task, items.view_of({"sort": sort}))
    pages = [window]
    while window.following:
        window = items.window(task, items.view_of({"sort": sort, "after": window.following}))
        pages.append(window)
    seen = [row.key for page in pages for row in page.rows]
    assert sorted(seen) == [f"k{number}" for number in range(8)]
    back = items.window(task, items.view_of({"sort": sort, "before": pages[-1].previous}))
    assert [row.key for row in back.rows] == [row.key for row in pages[-2].rows]
    assert not pages[0].previous


def test_a_filtered_table_keeps_its_rows_and_says_that_others_belong_there(task: Task) -> None:
    seen = items.window(task, items.view_of({"status": "failed"}))
    told = items.watched(seen)
    before = items.live_html(task, told)
    assert before["#items-news"] == ""
    Item.objects.filter(task=task, key="beta").update(status=ItemStatus.DONE)
    after = items.live_html(task, told)
    assert [name for name, _html in after["#items"]] == [f"item-{seen.rows[0].pk}"]
    assert "Done" in after["#items"][0][1]
    assert "other items belong here" in after["#items-news"]
    assert "status=failed" in after["#items-news"]


def test_an_unfiltered_table_grows_at_its_end(task: Task) -> None:
    told = items.watched(items.window(task, items.view_of({})))
    make_item(task, "zeta")
    assert len(items.live_html(task, told)["#items"]) == 6


def test_a_stream_that_names_rows_by_something_else_gets_none(task: Task) -> None:
    assert not items.live_html(task, "ids=%C2%B2,x,-1")["#items"]


def test_the_number_of_queries_is_the_same_for_every_view(operator: AbstractBaseUser, task: Task) -> None:
    client = logged_in(operator)
    html(client, task, "")
    counts = set()
    for query in ("", "status=failed", "sort=-cost"):
        with CaptureQueriesContext(connection) as captured:
            html(client, task, query)
        counts.add(len(captured))
    assert len(counts) == 1


def test_without_the_right_nothing_can_be_ticked(manager: AbstractBaseUser, task: Task) -> None:
    page = html(logged_in(manager), task, "")
    assert "can-pick" not in page
    assert 'id="pick"' not in page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (">0.05", (">", 50_000)),
        ("<2", ("<", 2_000_000)),
        (" > $ 1,5 ", (">", 1_500_000)),
        (".5", (">", 500_000)),
    ],
)
def test_amounts(text: str, found: tuple[str, int]) -> None:
    assert amount(text) == found
