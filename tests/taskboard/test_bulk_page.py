"""The pages of an action on many items."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from taskboard import bulk
from taskboard.models import BulkAction, BulkJob, ItemStatus, StepStatus, Task
from taskboard.selection import Selection
from taskboard.views import bulk as bulk_page
from tests.conftest import logged_in
from tests.factories import make_item, make_step
from tests.taskboard.test_bulk import carry_out, make_failures

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(operator: AbstractBaseUser) -> Client:
    return logged_in(operator)


def address(task: Task, rest: str = "") -> str:
    return f"{task.get_absolute_url()}bulk/{rest}"


def test_it_asks_first_with_the_number_and_a_sample(client: Client) -> None:
    task = make_failures(7)
    html = client.get(address(task, "?action=retry&all=1")).content.decode()
    assert "Try again: 7 items" in html
    assert html.count("/items/bad_") == 5
    assert "look: 7" in html
    assert BulkJob.objects.count() == 0


def counted(html: str, heading: str) -> str:
    """The number beside a heading of the page."""
    return re.findall(rf'{heading} <span class="count">(\d+)</span>', html)[0]


def test_it_says_what_it_applies_to_and_what_it_passes_over_and_why(client: Client) -> None:
    task = make_failures(7)
    for key in ("new_1", "new_2"):
        make_step(make_item(task, key), "look")
    make_step(make_item(task, "odd", status=ItemStatus.BLOCKED), "look", status=StepStatus.UNKNOWN)
    html = client.get(address(task, "?action=retry&all=1")).content.decode()
    assert (counted(html, "Applies to"), counted(html, "Passed over")) == ("7", "4")
    assert "no failed or blocked step" in html
    assert "Nobody knows yet whether their step happened" in html
    groups = html[html.index('id="passed-title"') :].split("<details")[1:]
    assert [group.count("/items/") for group in groups] == [2, 1, 1]
    assert "Pending" in groups[0]


def test_its_links_list_exactly_what_it_counted(client: Client) -> None:
    task = make_failures(7)
    for number in range(6):
        make_step(make_item(task, f"new_{number}"), "look")
    html = client.get(address(task, "?action=retry&all=1")).content.decode()
    links = re.findall(r'href="([^"]+fits=[^"]+)">All (\d+)<', html)
    assert [number for _url, number in links] == ["7", "6"]
    for url, number in links:
        listed = client.get(unescape(url)).content.decode()
        assert listed.count('<tr id="item-') == int(number)
    assert "Try again: passed over" in listed


def test_a_choice_that_nothing_fits_says_why_too(client: Client) -> None:
    html = client.get(address(make_failures(0), "?action=give_up&all=1")).content.decode()
    assert "Nothing to do" in html
    assert counted(html, "Passed over") == "1"
    assert "no step whose outcome is unknown" in html


def test_a_choice_that_nothing_matches_any_more_says_so(client: Client) -> None:
    html = client.get(address(make_failures(3), "?action=skip&all=1&status=rejected")).content.decode()
    assert "No item matches any more" in html


def test_the_buttons_say_for_which_items_they_are(client: Client) -> None:
    html = client.get(make_failures(1).get_absolute_url()).content.decode()
    assert html.count('title="For items with a failed or blocked step"') == 2
    assert 'title="For items whose outcome is unknown"' in html


def test_a_cause_that_was_chosen_passes_over_what_failed_otherwise(client: Client) -> None:
    task = make_failures(3)
    other = make_item(task, "other", status=ItemStatus.FAILED)
    make_step(other, "look", status=StepStatus.FAILED, error_class="Refused")
    ticked = "".join(f"&item={item.pk}" for item in task.items.all())
    html = client.get(address(task, f"?action=skip{ticked}")).content.decode()
    assert (counted(html, "Applies to"), counted(html, "Passed over")) == ("4", "1")
    assert "fits=" not in html
    planned = bulk.plan(task, BulkAction.SKIP, Selection(status="failed", error="Refused", step="look"))
    assert (planned.total, planned.others) == (1, 0)
    planned = bulk.plan(task, BulkAction.SKIP, Selection(status="failed", fits="skip", step="look"))
    assert (planned.total, planned.others) == (4, 0)


def test_it_asks_as_often_for_ten_items_as_for_forty(client: Client) -> None:
    def asked(number: int) -> int:
        where = address(make_failures(number), "?action=retry&all=1")
        with CaptureQueriesContext(connection) as queries:
            client.get(where)
        return len(queries)

    assert asked(10) == asked(40)


def test_what_was_asked_is_what_is_begun(client: Client) -> None:
    task = make_failures()
    told = {"action": "retry", "all": "1", "text": "bad_1", "status": "failed"}
    response = client.post(address(task, "begin/"), told)
    job = BulkJob.objects.get()
    assert response["Location"] == address(task, f"{job.pk}/")
    assert job.selection == {"text": "bad_1", "status": "failed"}
    assert (job.total, job.by_name) == (1, "ops")


def test_ticked_rows_are_begun_alone(client: Client) -> None:
    task = make_failures()
    pk = task.items.get(key="bad_2").pk
    client.post(address(task, "begin/"), {"action": "skip", "item": [str(pk), "x"], "reason": "gone"})
    assert BulkJob.objects.get().selection == {"items": [pk]}


@pytest.mark.parametrize("query", ["?action=retry", "?action=dance&all=1", "?all=1", "?action=retry&item=x"])
def test_without_items_or_a_verb_it_says_what_to_do(client: Client, query: str) -> None:
    response = client.get(address(make_failures(), query))
    assert response.status_code == 422
    assert "Tick some items first" in response.content.decode()


def test_nothing_is_begun_without_any_choice(client: Client) -> None:
    assert client.post(address(make_failures(), "begin/"), {"action": "retry"}).status_code == 422
    assert not BulkJob.objects.exists()


def test_a_reason_that_is_missing_is_asked_for(client: Client) -> None:
    response = client.post(address(make_failures(), "begin/"), {"action": "skip", "all": "1", "reason": " "})
    assert response.status_code == 422
    assert "Say why" in response.content.decode()


def test_the_page_shows_progress_and_every_result(client: Client, operator: Any) -> None:
    task = make_failures()
    job = carry_out(bulk.begin(task, operator, BulkAction.RETRY, Selection()))
    html = client.get(address(task, f"{job.pk}/")).content.decode()
    assert "3 of 3 items" in html
    assert html.count('<tr id="result-') == 3
    assert html.count("?only=") == 3
    only = client.get(address(task, f"{job.pk}/?only=failed")).content.decode()
    assert '<tr id="result-' not in only
    assert f"/bulk/{job.pk}/" in client.get(task.get_absolute_url()).content.decode()


def test_it_can_be_cancelled(client: Client, operator: Any) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, Selection())
    client.post(address(task, f"{job.pk}/cancel/"))
    html = client.get(address(task, f"{job.pk}/")).content.decode()
    assert "Cancelled by ops" in html
    again = client.post(address(task, f"{job.pk}/cancel/"), headers={"HX-Request": "true"})
    assert again.status_code == 409
    assert again["HX-Retarget"] == "#toasts"


def test_a_manager_may_watch_and_not_begin(manager: AbstractBaseUser, operator: Any) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, Selection())
    client = logged_in(manager)
    assert client.get(address(task, f"{job.pk}/")).status_code == 200
    assert client.get(address(task, "?action=retry&all=1")).status_code == 403
    assert client.post(address(task, "begin/"), {"action": "retry", "all": "1"}).status_code == 403
    assert client.post(address(task, f"{job.pk}/cancel/")).status_code == 403


def test_a_job_of_another_task_is_not_found(client: Client, operator: Any) -> None:
    job = bulk.begin(make_failures(), operator, BulkAction.RETRY, Selection())
    assert client.get(address(make_failures(), f"{job.pk}/")).status_code == 404


def test_once_it_is_over_the_open_page_offers_nothing_to_cancel(operator: AbstractBaseUser) -> None:
    job = bulk.begin(make_failures(), operator, BulkAction.RETRY, Selection())
    assert "#job-actions" not in bulk_page.live_html(job)
    carry_out(job)
    assert bulk_page.live_html(BulkJob.objects.get())["#job-actions"] == ""
