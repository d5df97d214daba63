"""The page of one task."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import tests.workflows  # noqa: F401 registers the zoo
from taskboard.models import Artifact, ItemStatus, Profile, StepStatus, Task, TaskStatus
from taskboard.views import funnel, plan
from taskboard.views.parts import PARTS
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

NOW = datetime(2026, 9, 17, 15, 30, tzinfo=UTC)
NASTY = '<img src=x onerror=alert(1)>"><svg onload=alert(1)>{{7*7}}</script><script>'


def page(client: Client, task: Task, query: str = "") -> str:
    response = client.get(f"{task.get_absolute_url()}{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def test_it_shows_progress_by_item_and_by_step(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear")
    for status in (StepStatus.DONE, StepStatus.STARTED, StepStatus.FAILED):
        make_step(make_item(task, status=ItemStatus.RUNNING), "look", status=status)
    html = page(logged_in(operator), task)
    assert "Progress by step" in html
    assert '?step=look&amp;at=running#items-title">1 running</a>' in html
    assert '?step=look&amp;at=failed#items-title">1 failed</a>' in html
    assert 'aria-label="3 Running"' in html


def test_each_row_names_its_steps_and_where_they_stand(operator: AbstractBaseUser) -> None:
    task = make_task()
    make_step(make_item(task, "page_087"), "notify", status=StepStatus.STARTED, attempt=2)
    html = page(logged_in(operator), task)
    assert "page_087" in html
    assert '×2</span><span class="visually-hidden">: Running</span>' in html


def test_it_says_why_a_task_stands_where_it_stands(operator: AbstractBaseUser) -> None:
    task = make_task(status=TaskStatus.BLOCKED, out_of_budget=True)
    html = page(logged_in(operator), task)
    assert "The budget does not cover the next step." in html
    told = re.search(r'<span id="state-word" role="status">(.*?)</span>\s*</span>', html, re.DOTALL)
    assert told
    assert "Blocked" in told[1]  # the word alone is read out, not the numbers behind it


def test_items_that_a_document_counts_but_does_not_list_are_named(operator: AbstractBaseUser) -> None:
    counts = {"items": {"done": 200}, "unlisted": {"done": 198}}
    html = page(logged_in(operator), make_task(counts=counts))
    assert "198 items are counted but not listed." in html


def test_items_come_a_hundred_at_a_time_and_are_paged_by_key(operator: AbstractBaseUser) -> None:
    task = make_task()
    for number in range(1, 103):
        make_item(task, f"item_{number:03}", position=number)
    client = logged_in(operator)
    first = page(client, task)
    assert "item_100" in first
    assert "item_101" not in first
    following = re.search(r'href="(\?after=[^"]+)#items-title" rel="next"', first)
    assert following
    second = page(client, task, following[1])
    assert "item_102" in second
    assert "item_100" not in second
    previous = re.search(r'href="(\?before=[^"]+)#items-title" rel="prev"', second)
    assert previous
    assert re.findall(r"item_\d+", page(client, task, previous[1])) == re.findall(r"item_\d+", first)


def test_the_number_of_queries_does_not_grow_with_the_items(operator: AbstractBaseUser) -> None:
    client, task = logged_in(operator), make_task()
    make_step(make_item(task))
    few = queries(client, task)
    for _ in range(40):
        make_step(make_item(task))
    assert queries(client, task) == few


def queries(client: Client, task: Task) -> int:
    with CaptureQueriesContext(connection) as captured:
        page(client, task)
    return len(captured)


def test_text_from_outside_is_never_markup(operator: AbstractBaseUser) -> None:
    task = make_task(goal=NASTY, reason=NASTY, says=NASTY, plan=[NASTY], created_by_name=NASTY[:150])
    item = make_item(task, NASTY, label=NASTY)
    make_step(item, summary=NASTY, error=NASTY, status=StepStatus.FAILED)
    Artifact.objects.create(task=task, name=NASTY, place=NASTY, created_at=NOW)
    client = logged_in(operator)
    for html in (page(client, task), str(client.get("/").content.decode()), page_of(client, item)):
        assert "<img src=x" not in html
        assert "<svg onload" not in html
        assert "{{7*7}}" in html
        assert "<script>" not in html


def page_of(client: Client, item: object) -> str:
    response = client.get(item.get_absolute_url())  # type: ignore[attr-defined]
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.mark.parametrize(
    "place",
    [
        "javascript:alert(1)",
        "  JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "//evil.example/x",
        "http://x' onfocus=alert(1) x='",
        "s3://reports/draft.md",
        "ftp://host/file",
        "https://a b",
    ],
)
def test_an_odd_address_of_an_artifact_is_text(operator: AbstractBaseUser, place: str) -> None:
    task = make_task()
    Artifact.objects.create(task=task, name="report", place=place, created_at=NOW)
    html = page(logged_in(operator), task)
    assert "noopener" not in html
    assert "report" in html


def test_an_http_address_of_an_artifact_is_a_link(operator: AbstractBaseUser) -> None:
    task = make_task()
    Artifact.objects.create(task=task, name="report", place="https://example.org/r?a=1&b=2", created_at=NOW)
    html = page(logged_in(operator), task)
    assert '<a href="https://example.org/r?a=1&amp;b=2" rel="noopener noreferrer">' in html


def test_times_are_in_the_persons_zone_with_utc_on_hover(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    html = page(logged_in(operator), make_task(created_at=NOW))
    assert "18 Sep 2026, 00:30 KST" in html
    assert 'title="2026-09-17 15:30:00 UTC"' in html


@pytest.mark.parametrize("name", PARTS)
def test_every_part_has_an_address_of_its_own(operator: AbstractBaseUser, name: str) -> None:
    task = make_task()
    response = logged_in(operator).get(f"{task.get_absolute_url()}parts/{name}/")
    assert response.status_code == 200
    assert b"<html" not in response.content


def test_an_unknown_part_is_not_found(operator: AbstractBaseUser) -> None:
    assert logged_in(operator).get(f"{make_task().get_absolute_url()}parts/nothing/").status_code == 404


@pytest.mark.parametrize("status", TaskStatus.values)
def test_every_status_has_its_buttons(operator: AbstractBaseUser, status: str) -> None:
    assert 'id="actions"' in page(logged_in(operator), make_task(status=status))


def test_back_in_the_history_gives_the_whole_page(operator: AbstractBaseUser) -> None:
    client, task = logged_in(operator), make_task()
    fragment = client.get(task.get_absolute_url(), headers={"HX-Request": "true"})
    restored = client.get(
        task.get_absolute_url(), headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
    )
    assert b"<html" not in fragment.content
    assert b"<html" in restored.content
    assert "HX-Request" in fragment["Vary"]
    assert fragment["Cache-Control"] == "no-store"


def test_a_sentence_of_the_plan_shows_that_some_failed(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", plan=["Look at each", "Write it down", "Tell of it"])
    for status in (StepStatus.DONE, StepStatus.DONE, StepStatus.FAILED):
        make_step(make_item(task), "look", status=status)
    first, *_ = plan.sentences(task, funnel.item_steps(task))
    assert (first.status, first.figures) == ("partly_failed", "2 of 3, 1 failed")
    assert "Partly failed:" in page(logged_in(operator), task)


def test_the_plan_and_the_progress_count_what_was_skipped_alike(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", plan=["Look at each", "Write it down", "Tell of it"])
    ends = (StepStatus.DONE, StepStatus.SKIPPED, StepStatus.SKIPPED, StepStatus.FAILED)
    for status in ends:
        make_step(make_item(task), "look", status=status)
    (line, *_), (sentence, *_) = funnel.item_steps(task), plan.sentences(task, funnel.item_steps(task))
    assert (line.done, line.over, line.total) == (1, 4, 4)
    assert [note.text for note in line.notes] == ["2 skipped", "1 failed"]
    assert sentence.figures == "1 of 4, 2 skipped, 1 failed"


def test_a_sentence_whose_step_was_only_skipped_is_over_and_claims_nothing(db: None) -> None:
    task = make_task(workflow="linear", plan=["Look at each", "Write it down", "Tell of it"])
    for _number in range(3):
        make_step(make_item(task), "look", status=StepStatus.SKIPPED)
    first, *_ = plan.sentences(task, funnel.item_steps(task))
    assert (first.status, first.figures) == ("done", "0 of 3, 3 skipped")
