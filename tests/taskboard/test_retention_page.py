"""The Retention page: for administrators, shows what a purge would do, and begins it durably."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from taskboard import hints
from taskboard.models import PurgeRecord, Task
from taskboard.retention import hold, purge
from tests.conftest import logged_in
from tests.factories import make_finished_task, make_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db
PAGE = "/retention/"


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The messages to the workers."""
    messages: list[Any] = []
    monkeypatch.setattr(hints, "soon", lambda *job, **_options: messages.append(job))
    return messages


def text(client: Client, address: str = PAGE, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def test_only_administrators_see_it(operator: Any, manager: Any, outsider: Any, at_admin: Client) -> None:
    assert at_admin.get(PAGE).status_code == 200
    assert [logged_in(one).get(PAGE).status_code for one in (operator, manager, outsider)] == [403, 403, 403]
    assert Client().get(PAGE).status_code == 302


def test_only_administrators_may_act(operator: Any, manager: Any) -> None:
    task = make_full_task()
    record = purge.purge_task(make_finished_task().pk, "admin")
    actions = ["purge", "carry_on", ("hold", task.public_id), ("release", task.public_id)]
    for name, *of in [(one,) if isinstance(one, str) else one for one in actions]:
        address = reverse(f"taskboard:{name}", args=of)
        for person in (operator, manager):
            assert logged_in(person).post(address, {"task": task.public_id, "reason": "x"}).status_code == 403
    assert logged_in(manager).get(reverse("taskboard:archive", args=[record.pk])).status_code == 403
    assert Task.objects.get().on_hold is False


def test_nothing_changes_on_get(at_admin: Client) -> None:
    task = make_full_task()
    for address in ("/retention/purge/begin/", "/retention/purge/go-on/", f"/tasks/{task.public_id}/hold/"):
        assert at_admin.get(address, {"task": task.public_id, "reason": "x"}).status_code == 405


def test_it_says_when_there_is_nothing(at_admin: Client) -> None:
    page = text(at_admin)
    assert "Nothing has expired" in page
    assert "Nothing has been purged yet" in page


def test_it_shows_what_expired_what_is_kept_and_why(at_admin: Client) -> None:
    make_full_task(goal="The expired one")
    held = make_finished_task(goal="The held one")
    hold.hold(held.pk, "admin", "Lawsuit <b>17</b>")
    make_task(goal="The running one")
    page = text(at_admin)
    assert "The expired one" in page
    assert "It is on hold: Lawsuit &lt;b&gt;17&lt;/b&gt;" in page
    assert "The running one" not in page


def test_the_number_of_queries_does_not_grow_with_the_tasks(
    at_admin: Client, django_assert_num_queries: Any
) -> None:
    def more_tasks(number: int) -> None:
        for _number in range(number):
            make_finished_task()

    more_tasks(2)
    with CaptureQueriesContext(connection) as few:
        text(at_admin)
    more_tasks(10)
    with django_assert_num_queries(len(few)):
        text(at_admin)
    assert len(few) <= 18  # two of them are the numbers in the navigation


def test_the_preview_shows_what_goes_and_what_stays(at_admin: Client) -> None:
    first, second = make_full_task(), make_full_task()
    page = text(at_admin, "/retention/purge/", task=[first.public_id, second.public_id, "task_x"])
    assert "Purge 2 tasks" in page
    assert "4 stored files" in page
    assert "s3://reports/draft.md" in page
    assert "Site pages" in page
    assert Task.objects.filter(held=True).count() == 0


def test_a_preview_of_nothing_leads_back(at_admin: Client) -> None:
    held = make_finished_task(on_hold=True, hold_reason="x")
    for chosen in ([], ["task_x"], [held.public_id]):
        assert at_admin.get("/retention/purge/", {"task": chosen}).headers["Location"] == PAGE


def test_a_purge_begins_with_its_record_and_a_message(at_admin: Client, sent: list[Any]) -> None:
    task = make_full_task()
    response = at_admin.post("/retention/purge/begin/", {"task": [task.public_id]})
    assert response.headers["Location"] == PAGE
    record = PurgeRecord.objects.get()
    assert (record.public_id, record.purged_by, record.completed) == (task.public_id, "admin", False)
    assert sent == [("taskboard.purge",)]
    assert "1 task is being purged" in text(at_admin)
    purge.purge_unfinished()
    page = text(at_admin)
    assert record.public_id in page
    assert PurgeRecord.objects.get().archive_sha256 in page


def test_what_may_not_be_purged_any_more_is_refused(at_admin: Client, sent: list[Any]) -> None:
    held = make_finished_task(on_hold=True, hold_reason="x")
    response = at_admin.post("/retention/purge/begin/", {"task": [held.public_id, make_task().public_id]})
    assert response.status_code == 409
    assert (PurgeRecord.objects.count(), sent) == (0, [])


def test_the_archive_can_be_downloaded(at_admin: Client) -> None:
    record = purge.purge_task(make_full_task().pk, "admin")
    response: Any = at_admin.get(reverse("taskboard:archive", args=[record.pk]))
    content = b"".join(response.streaming_content)
    with purge.archive.open_file(record) as file:
        assert content == file.read()
    assert response.headers["Content-Disposition"] == f'attachment; filename="{record.archive}"'


def test_a_hold_from_the_page_needs_a_reason(at_admin: Client) -> None:
    task = make_finished_task()
    address = reverse("taskboard:hold", args=[task.public_id])
    assert at_admin.post(address, {"reason": " "}).status_code == 422
    assert at_admin.post(address, {"reason": "Audit"}).status_code == 302
    assert Task.objects.get().hold_reason == "Audit"
    assert at_admin.post(reverse("taskboard:release", args=[task.public_id])).status_code == 302
    assert Task.objects.get().on_hold is False


@pytest.mark.parametrize("before", ["x", "-1", "9" * 30, "٣", "1' OR 1=1"])
def test_an_odd_page_of_records_is_the_first(at_admin: Client, before: str) -> None:
    record = purge.purge_task(make_finished_task().pk, "admin")
    assert record.public_id in text(at_admin, before=before)
