"""The journal page: newest first, narrowed down, older rows on demand, a way to the first failure."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard import lifecycle
from taskboard.models import Checkpoint, Kind, Profile, Task
from taskboard.sweep import sweep
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db


def fill(task: Task, number: int, **row: Any) -> None:
    with lifecycle.changing(task.pk, "ops") as change:
        for n in range(number):
            change.record(
                row.get("kind", Kind.NOTE), **{"data": {"text": f"note {n}"}, **row.get("more", {})}
            )
    task.refresh_from_db()


def read(user: Any, task: Task, query: str = "", **headers: Any) -> str:
    response = logged_in(user).get(f"{task.get_absolute_url()}journal/{query}", **headers)
    assert response.status_code == 200
    return str(response.content.decode())


def ordinals(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'id="row-(\d+)"', html)]


@pytest.fixture
def task() -> Task:
    return make_task(goal="Audit")


def test_older_rows_come_on_demand_without_a_gap(operator: Any, task: Task) -> None:
    fill(task, 249)
    first = read(operator, task)
    assert ordinals(first) == list(range(250, 150, -1))
    second = read(operator, task, "?before=151", headers={"HX-Request": "true"})
    assert ordinals(second) == list(range(150, 50, -1))
    assert "<html" not in second
    assert ordinals(read(operator, task, "?before=51")) == list(range(50, 0, -1))
    assert "Load older" not in read(operator, task, "?before=51")


def test_a_day_is_named_once_though_its_rows_come_in_pieces(operator: Any, task: Task) -> None:
    fill(task, 150)
    assert 'class="day"' in read(operator, task)
    assert 'class="day"' not in read(operator, task, "?before=52", headers={"HX-Request": "true"})
    assert 'class="day"' in read(operator, task, "?before=52")


def test_it_can_show_one_kind_only_what_went_wrong_or_some_words(operator: Any, task: Task) -> None:
    fill(task, 3)
    fill(task, 1, kind=Kind.FAILURE, more={"data": {"reason": "Bücher: 诊断 failed"}, "step": "look"})
    fill(task, 1, kind=Kind.RETRY, more={"data": {"reason": "later"}})
    assert ordinals(read(operator, task, "?kind=faults")) == [6, 5]
    assert ordinals(read(operator, task, "?kind=failure")) == [5]
    for words in ("诊断", "Bücher", "LOOK", "ops"):
        assert 5 in ordinals(read(operator, task, f"?q={words}")), words
    assert "No row is like this." in read(operator, task, "?q=nothing+like+it")
    assert ordinals(read(operator, task, "?kind=of-the-future")) == [6, 5, 4, 3, 2, 1]


def test_a_search_looks_back_some_rows_at_a_time(operator: Any, task: Task, monkeypatch: Any) -> None:
    monkeypatch.setattr("taskboard.views.journal.SEARCHED", 20)
    fill(task, 49)
    html = read(operator, task, "?q=created")
    assert "Nothing like this back to row 31" in html
    assert "before=31" in html
    assert "Look further back" in html


def test_the_first_failure_is_a_click_away(operator: Any, task: Task) -> None:
    client = logged_in(operator)
    assert "First failure" not in read(operator, task)
    fill(task, 5)
    fill(task, 2, kind=Kind.FAILURE)
    fill(task, 300)
    answer = client.get(f"{task.get_absolute_url()}journal/?first=failure")
    assert answer["Location"].endswith("/journal/?before=27#row-7")
    assert 7 in ordinals(client.get(answer["Location"]).content.decode())


def test_many_rows_cost_no_more_queries(operator: Any, task: Task) -> None:
    """PERF-03."""
    client = logged_in(operator)
    fill(task, 20_000)
    fill(task, 1, kind=Kind.FAILURE)
    assert len(ordinals(client.get(f"{task.get_absolute_url()}journal/").content.decode())) == 100
    assert ordinals(read(operator, task, "?kind=faults")) == [20_002]
    lines = client.get(f"{task.get_absolute_url()}journal.jsonl")
    assert lines.streaming
    assert sum(1 for _ in lines) == 20_002


def test_rows_of_one_item(operator: Any, task: Task) -> None:
    make_item(task, "a/b")
    fill(task, 1, more={"item": "a/b", "data": {"text": "mine"}})
    fill(task, 1, more={"item": "other", "data": {"text": "another"}})
    html = read(operator, task, "?item=a/b")
    assert "mine" in html
    assert "another" not in html


def test_times_are_in_the_zone_of_the_reader_with_its_name(operator: Any, task: Task) -> None:
    """TIME-07."""
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.NOTE, at=datetime(2026, 9, 10, 15, 30, tzinfo=UTC))
    html = read(operator, task)
    assert "00:30:00 KST" in html
    assert "Friday, 11 September 2026" in html
    assert 'title="2026-09-10 15:30:00 UTC"' in html


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "</script>{{7*7}}"]
)
def test_foreign_text_stays_text(operator: Any, task: Task, text: str) -> None:
    """SEC-07."""
    fill(task, 1, more={"item": text, "step": text, "data": {"text": text, "\u202egnp": text}})
    html = read(operator, task)
    assert text not in html
    assert "U+202E" in html


@pytest.mark.django_db(transaction=True)
def test_what_happened_between_a_crash_and_its_recovery_is_told_in_order(operator: Any) -> None:
    """VIEW-15."""
    task = make_task(workflow="linear", params={"items": 1})
    item = make_item(task, "item_001", status="running")
    past = timezone.now() - timedelta(minutes=5)
    make_step(
        item,
        "look",
        status="started",
        attempt=1,
        lease_owner="elsewhere/1/1@1",
        lease_until=past,
        started_at=past,
    )
    fill(
        task,
        1,
        kind=Kind.INTENT,
        more={"item": item.key, "step": "look", "attempt": 1, "data": {"to": "started"}},
    )
    sweep()
    rows = Checkpoint.objects.filter(task=task, step="look").order_by("ordinal")
    assert [row.kind for row in rows] == [Kind.INTENT, Kind.INTERRUPTED, Kind.RETRY]
    html = read(operator, task)
    words = ["Will be tried again", "the lease of its worker ran out", ">Started<"]
    places = [html.index(word, html.index('id="rows"')) for word in words]
    assert places == sorted(places)
    page = logged_in(operator).get(item.get_absolute_url()).content.decode()
    assert "Interrupted: the lease ran out" in page
    exported = logged_in(operator).get(f"{task.get_absolute_url()}journal.jsonl").getvalue().decode()
    assert exported.index('"intent"') < exported.index('"interrupted"') < exported.index('"retry"')
