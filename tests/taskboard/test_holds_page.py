"""The Holds page lists every hold in force, of single tasks and by search, with who, when, why, until and its end."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from taskboard.models import AuditEntry, HoldRule, Task
from taskboard.retention import hold, search_holds
from taskboard.views import retention_holds
from tests.conftest import logged_in
from tests.factories import make_finished_task, make_task

pytestmark = pytest.mark.django_db
HOLDS = "/retention/holds/"
DAY = timedelta(days=1)


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def rows(client: Client, heading: str, **query: Any) -> list[str]:
    """The rows of the section with this heading."""
    response = client.get(HOLDS, query)
    assert response.status_code == 200
    page = response.content.decode()
    _before, found, after = page.partition(heading)
    body = re.search(r"<tbody>(.*?)</tbody>", after, re.DOTALL) if found else None
    return re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL) if body else []


def single(client: Client, **query: Any) -> list[str]:
    return rows(client, "Holds of single tasks", **query)


def past(**over: Any) -> HoldRule:
    values = {"search": "old", "time_zone": "UTC", "reason": "x", "owner_name": "bob"}
    return HoldRule.objects.create(**{**values, "created_at": timezone.now() - 9 * DAY, **over})


def test_a_single_task_stands_there_with_who_when_why_and_until(at_admin: Client, admin: Any) -> None:
    running, finished = make_task(goal="The running one"), make_finished_task(goal="The finished one")
    hold.hold(running.pk, admin, "Lawsuit 17")
    until = timezone.now() + DAY
    hold.hold(finished.pk, admin, "Audit", until=until)
    newest, first = single(at_admin)
    for sentence in ("The running one", running.public_id, "Lawsuit 17", admin.username, "somebody lifts it"):
        assert sentence in first
    since = AuditEntry.objects.filter(action="hold").earliest("pk").at
    assert f"{since:%Y-%m-%d %H:%M}" in first
    assert "The finished one" in newest
    assert f"{until:%Y-%m-%d %H:%M}" in newest


def test_what_no_longer_holds_is_not_among_them(at_admin: Client, admin: Any) -> None:
    make_finished_task(on_hold=True, hold_reason="x", hold_until=timezone.now() - DAY)
    lifted = make_finished_task()
    hold.hold(lifted.pk, admin, "x")
    hold.release(lifted.pk, admin)
    make_finished_task(goal="ordinary")
    assert single(at_admin) == []
    assert "Nothing is on hold" in at_admin.get(HOLDS).content.decode()


def test_it_is_lifted_where_it_stands(at_admin: Client, admin: Any) -> None:
    task = make_finished_task()
    hold.hold(task.pk, admin, "Audit")
    (row,) = single(at_admin)
    address = reverse("taskboard:release", args=[task.public_id])
    assert f'action="{address}"' in row
    assert at_admin.post(address, {"listed": "1"}).headers["Location"] == HOLDS
    assert at_admin.post(address, {"listed": "1"}).status_code == 409
    assert not Task.objects.get().on_hold


def test_searches_in_force_stand_apart_from_those_that_are_over(at_admin: Client, admin: Any) -> None:
    search_holds.add(admin, "pricing", "Price audit")
    past(search="lifted-one", ended_at=timezone.now(), ended_by_name="carol")
    past(search="day-is-over", until=timezone.now() - DAY)
    (acting,) = rows(at_admin, '<h2 id="rules-title">')
    assert "Price audit" in acting
    assert "/end/" in acting
    over = rows(at_admin, "Holds by search that are over")
    assert [("/end/" in row, "carol" in row) for row in over] == [(False, False), (False, True)]


def test_the_number_on_the_tab_counts_both_kinds(at_admin: Client, admin: Any) -> None:
    hold.hold(make_task().pk, admin, "Lawsuit")
    search_holds.add(admin, "pricing", "Price audit")
    past(ended_at=timezone.now())
    page = at_admin.get("/retention/").content.decode()
    assert re.search(r'href="/retention/holds/"[^>]*>\s*Holds\s*<[^>]*>2<', page)


def test_a_hold_that_came_with_a_document_has_no_time(at_admin: Client) -> None:
    make_finished_task(on_hold=True, hold_reason="Imported", hold_by="far away")
    (row,) = single(at_admin)
    assert "far away" in row
    told = at_admin.get("/retention/holds.json").json()["tasks"]
    assert [(one["owner"], one["set_at"]) for one in told] == [("far away", None)]


def test_many_are_paged(at_admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention_holds, "PER_PAGE", 2)
    first, *_others = [make_finished_task(on_hold=True, hold_reason="x") for _ in range(3)]
    assert len(single(at_admin)) == 2
    told = at_admin.get("/retention/holds.json").json()
    (row,) = single(at_admin, below=told["next_tasks"].partition("below=")[2])
    assert first.public_id in row
    assert len(single(at_admin, below="<b>")) == 2


def test_more_holds_cost_no_more_queries(at_admin: Client, admin: Any) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert at_admin.get(HOLDS).status_code == 200
        return len(seen)

    hold.hold(make_task().pk, admin, "x")
    few = queries()
    for _ in range(5):
        hold.hold(make_task().pk, admin, "x")
    assert queries() == few
