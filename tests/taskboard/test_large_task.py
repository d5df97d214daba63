"""PERF-01: a large task is one page of a hundred rows, and its stream sends what is on the screen."""

from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bench.page_rows import make_task
from taskboard.live import Channel, Rows
from taskboard.models import Item
from taskboard.views.regions import look
from tests.conftest import logged_in

SMALL, LARGE = 100, 3_000
QUERIES = ("", "?status=failed", "?step=create_ticket&at=failed", "?sort=-cost", "journal/")


def seen(person: AbstractBaseUser, address: str) -> tuple[str, int]:
    client = logged_in(person)
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        html = client.get(address).content.decode()
    return html, len(captured)


def test_pages_of_thousands_of_items_are_as_large_as_those_of_a_hundred(operator: AbstractBaseUser) -> None:
    tasks = make_task(SMALL), make_task(LARGE)
    for query in QUERIES:
        few, many = (seen(operator, task.get_absolute_url() + query) for task in tasks)
        assert many[0].count("<tr") <= 200, query
        assert len(many[0]) < 400_000, query
        assert many[1] <= few[1] + 1, query  # where there are several pages, how many match is counted


@pytest.mark.django_db(transaction=True)
def test_the_stream_follows_the_rows_on_the_screen_only() -> None:
    task = make_task(LARGE)
    channel = Channel("items", task.pk, 0, "en", "UTC", "")
    rows: Any = look({channel: None})[channel].regions["#items"]
    assert isinstance(rows, Rows)
    assert len(rows) == 100
    hidden = Item.objects.filter(task=task, position=2000)
    hidden.update(label="Another name", updated_at=timezone.now())
    again: Any = look({channel: None})[channel].regions["#items"]
    assert [name for name, _html in again] == [name for name, _html in rows]
    assert "Another name" not in str(again)
