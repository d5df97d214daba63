"""Times of questions: the reader's zone with its name everywhere, exact UTC on hover, offsets for software."""

import json
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from approvals.models import Approval
from taskboard.models import Profile
from tests.approvals.answers import answer
from tests.conftest import logged_in
from tests.factories import make_approval

HALF_PAST = datetime(2026, 9, 10, 15, 30, tzinfo=UTC)
"""The next day already in Seoul."""
THERE, ELSEWHERE = "11 Sep 2026, 00:30 KST", "10 Sep 2026, 15:30 UTC"
INBOX = reverse("approvals:inbox")


@pytest.fixture
def seoul(manager: User) -> Client:
    Profile.objects.create(user=manager, time_zone="Asia/Seoul")
    return logged_in(manager)


def text(client: Client, url: str, **asked: str) -> str:
    return unescape(client.get(url, asked).content.decode())


def test_asked_and_deadline_are_told_in_the_readers_zone(seoul: Client) -> None:
    asked = make_approval()
    later = HALF_PAST.replace(year=2099)
    Approval.objects.update(requested_at=HALF_PAST, expires_at=later)
    for url in (INBOX, reverse("approvals:question", args=[asked.pk]), asked.get_absolute_url()):
        shown = text(seoul, url)
        assert THERE in shown
        assert THERE.replace("2026", "2099") in shown
        assert ELSEWHERE not in shown
        assert 'title="2026-09-10 15:30:00 UTC"' in shown


def test_the_history_has_the_days_of_that_zone_also_after_a_refresh(seoul: Client, manager: User) -> None:
    asked = answer(make_approval(), manager)
    Approval.objects.update(closed_at=HALF_PAST)
    state = {"show": "decided", "known": str(asked.pk)}
    for shown in (
        text(seoul, INBOX, show="decided"),
        text(seoul, reverse("approvals:questions"), **state),
    ):
        assert "<span>11 Sep 2026</span>" in shown
        assert "<span>10 Sep 2026</span>" not in shown


def test_software_reads_times_with_their_offset(seoul: Client) -> None:
    Approval.objects.filter(pk=make_approval().pk).update(requested_at=HALF_PAST)
    answered = seoul.get(INBOX, headers={"Accept": "application/json"})
    (one,) = json.loads(answered.content)["questions"]
    assert datetime.fromisoformat(one["requested_at"]) == HALF_PAST
    assert datetime.fromisoformat(one["requested_at"]).tzinfo is not None


def test_the_late_one_is_told_when_in_the_readers_zone(seoul: Client, manager: User) -> None:
    asked = answer(make_approval(), manager)
    Approval.objects.update(closed_at=HALF_PAST)
    said = {"outcome": "approve", "digest": asked.payload_sha256}
    late = unescape(seoul.post(reverse("approvals:decide", args=[asked.pk]), said).content.decode())
    assert "manager approved this on 11 Sep 2026, 00:30:00 KST." in late
