"""The pages of an item and its journal, given text that means harm, a reader elsewhere, and a session that ended."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from taskboard import lifecycle
from taskboard.models import Artifact, Comment, Item, Kind, Profile, StepStatus
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db
TEXTS = ("<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>', "</script><script>alert(1)</script>")
PLACES = (
    "javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>1</script>",
    "//evil.example/x", "http://x' onfocus=alert(1)", "ftp://example.org/x",
)  # fmt: skip


def read(user: Any, item: Item) -> str:
    response = logged_in(user).get(item.get_absolute_url())
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.mark.parametrize("text", TEXTS)
def test_foreign_text_stays_text(operator: Any, text: str) -> None:
    """SEC-07."""
    item = make_item(make_task(goal=text), "page", label=text)
    fields = dict.fromkeys(("summary", "error", "external_id", "verified_how", "idempotency_key"), text)
    make_step(item, "send", status=StepStatus.UNKNOWN, started_at=NOW, attempt=1, **fields)
    Comment.objects.create(task=item.task, item=item, author_name=text, text=text, at=NOW)
    with lifecycle.changing(item.task_id, text) as change:
        change.record(Kind.FAILURE, item="page", step="send", data={"reason": text, "to": text})
    html = read(operator, item)
    assert text not in html
    assert "onerror=alert(1)&gt;" in html or "&gt;&lt;svg" in html or "&lt;/script&gt;" in html


@pytest.mark.parametrize("place", PLACES)
def test_only_web_addresses_become_links(operator: Any, place: str) -> None:
    """SEC-09."""
    item = make_item(make_task())
    Artifact.objects.create(task=item.task, item=item, name="report", place=place, created_at=NOW)
    html = read(operator, item)
    shown = html.split('id="artifacts"')[1].split("</section>")[0]
    assert "<a " not in shown
    assert "report" in shown


def test_a_web_address_opens_without_telling_from_where(operator: Any) -> None:
    """SEC-09."""
    item = make_item(make_task())
    Artifact.objects.create(
        task=item.task, item=item, name="report", place="https://example.org/r?a=1&b=2", created_at=NOW
    )
    assert 'href="https://example.org/r?a=1&amp;b=2" rel="noopener noreferrer"' in read(operator, item)


def test_times_are_in_the_zone_of_the_reader_with_its_name(operator: Any) -> None:
    """TIME-07."""
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    item = make_item(make_task())
    at = datetime(2026, 9, 10, 15, 30, tzinfo=UTC)
    make_step(item, status=StepStatus.DONE, started_at=at, finished_at=at, verified_at=at)
    html = read(operator, item)
    assert "11 Sep 2026, 00:30 KST" in html
    assert 'title="2026-09-10 15:30:00 UTC"' in html


@pytest.mark.parametrize("verb", ["did-not-happen", "happened"])
def test_after_the_end_of_the_session_the_whole_page_goes_to_login_and_back(
    client: Client, verb: str
) -> None:
    """VIEW-09."""
    item = make_item(make_task(), "a/b")
    step = make_step(item, "send", status=StepStatus.UNKNOWN, idempotency_key="k", started_at=NOW)
    address = f"{item.task.get_absolute_url()}steps/send/{verb}/{item.key}/"
    page = f"http://testserver{item.get_absolute_url()}"
    fields = {"key": "k", "external_id": "T-1"}
    answer = client.post(address, fields, headers={"HX-Request": "true", "HX-Current-URL": page})
    assert answer["HX-Redirect"] == f"/accounts/login/?lost=1&next={item.get_absolute_url()}"
    assert answer.content == b""
    answer = client.post(address, fields, headers={"Referer": page})
    assert answer["Location"] == f"/accounts/login/?lost=1&next={item.get_absolute_url()}"
    step.refresh_from_db()
    assert step.status == StepStatus.UNKNOWN


def test_the_buttons_alone_are_for_those_who_may_see_the_task(operator: Any, outsider: Any) -> None:
    item = make_item(make_task(), "a/b")
    make_step(item, "send", status=StepStatus.FAILED)
    address = f"{item.task.get_absolute_url()}parts/item-actions/a/b/"
    assert "/steps/send/retry/a/b/" in logged_in(operator).get(address).content.decode()
    assert logged_in(outsider).get(address).status_code == 403
