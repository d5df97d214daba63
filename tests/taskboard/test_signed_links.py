"""A link that was signed for a time says so once the time is over, and opens nothing that would fail."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from taskboard.models import Artifact, Task
from taskboard.signed_links import ends_at
from tests.conftest import logged_in
from tests.factories import make_task

NOON = datetime(2026, 9, 17, 12, tzinfo=UTC)
AMAZON = "https://files.example/r.csv?X-Amz-Date=20260917T110000Z&X-Amz-Expires=3600&X-Amz-Signature=ab"


@pytest.mark.parametrize(
    "url",
    [
        AMAZON,
        "https://files.example/r.csv?X-Goog-Date=20260917T113000Z&X-Goog-Expires=1800&X-Goog-Signature=ab",
        "https://files.example/r.csv?sv=2024&se=2026-09-17T12%3A00%3A00Z&sig=ab",
        f"https://files.example/r.csv?Expires={int(NOON.timestamp())}&Signature=ab",
    ],
)
def test_it_knows_how_clouds_write_it(url: str) -> None:
    assert ends_at(url) == NOON


@pytest.mark.parametrize(
    "url",
    [
        "https://files.example/r.csv",
        "https://files.example/r.csv?expires=1",
        "https://files.example/r.csv?se=2026-09-17T12%3A00%3A00Z",
        "https://files.example/r.csv?Expires=tomorrow&Signature=a",
        f"https://files.example/r.csv?Expires={'9' * 30}&Signature=a",
        AMAZON.replace("=3600", f"={'9' * 30}"),
        AMAZON.replace("20260917T110000Z", "today"),
        "https://files.example/r.csv?se=soon&sig=a",
        "https://[/r.csv?se=soon&sig=a",
    ],
)
def test_other_links_end_at_no_time_that_is_known(url: str) -> None:
    assert ends_at(url) is None


def shown(operator: Any, task: Task, place: str) -> str:
    Artifact.objects.create(task=task, name="report", place=place, created_at=timezone.now())
    return logged_in(operator).get(task.get_absolute_url()).content.decode()


def test_what_is_over_is_said_and_is_no_link(operator: Any) -> None:
    task = make_task()
    html = shown(operator, task, AMAZON)
    assert "X-Amz-Signature=ab" not in html
    assert "This link was good until" in html
    (told,) = logged_in(operator).get(f"/tasks/{task.public_id}.json").json()["artifacts"]
    assert datetime.fromisoformat(told["expired_at"]) == NOON


def test_what_still_opens_is_a_link(operator: Any) -> None:
    later = f"{timezone.now() + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    html = shown(operator, make_task(), f"https://files.example/r.csv?se={later}&sig=ab")
    assert 'href="https://files.example/r.csv?se=' in html
    assert "This link was good until" not in html
