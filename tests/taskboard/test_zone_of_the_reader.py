"""TIME-07: lists, live parts and the other pages tell times in the reader's zone, with its name, exact UTC on hover."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard.live import Channel
from taskboard.models import ItemStatus, Profile, StepStatus
from taskboard.views.regions import look
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

AT = datetime(2026, 9, 10, 15, 30, tzinfo=UTC)
THERE, HOVER = "11 Sep 2026, 00:30 KST", 'title="2026-09-10 15:30:00 UTC"'


@pytest.mark.django_db(transaction=True)
def test_what_the_stream_sends_is_in_the_zone_of_its_readers() -> None:
    task = make_task(created_at=AT, started_at=AT)
    item = make_item(task, status=ItemStatus.DONE)
    make_step(item, status=StepStatus.DONE, started_at=AT, finished_at=AT, verified_at=AT)

    def told(kind: str, zone: str) -> str:
        channel = Channel(kind, task.pk, item.pk, "en", zone)
        return "".join(map(str, look({channel: None})[channel].regions.values()))

    assert THERE in told("item", "Asia/Seoul")
    assert "10 Sep 2026, 15:30 UTC" in told("item", "UTC")
    assert HOVER in told("item", "Asia/Seoul")


def test_the_pages_that_tell_times_do_so_too(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    task = make_task(created_at=AT)
    unknown = {"status": StepStatus.UNKNOWN, "started_at": AT, "idempotency_key": "k"}
    make_step(make_item(task, status=ItemStatus.BLOCKED), "send", **unknown)
    client = logged_in(operator)
    for address in ("/attention/", task.get_absolute_url()):
        html = client.get(address).content.decode()
        assert THERE in html, address
        assert HOVER in html, address
    assert HOVER in client.get("/").content.decode()
