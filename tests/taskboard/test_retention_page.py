"""The Retention pages: for administrators; what expired, what is kept and why, what comes, what went."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from taskboard.models import Comment, PurgeRecord, Task
from taskboard.retention import hold, plans, purge, search_holds, size
from taskboard.retention.preview import preview
from taskboard.templatetags.taskboard import kept_for
from tests.conftest import logged_in
from tests.factories import make_finished_task, make_item, make_step, make_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db
DOC = Path(__file__).parents[2] / "docs" / "json.md"
PAGES = ("", "kept/", "coming/", "holds/", "policies/", "purges/", "records/")


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def text(client: Client, page: str = "", **query: Any) -> str:
    response = client.get(f"/retention/{page}", query)
    assert response.status_code == 200
    return response.content.decode()


def data(client: Client, page: str = "", **query: Any) -> dict[str, Any]:
    response = client.get(f"/retention{'/' + page if page else ''}.json".replace("/.json", ".json"), query)
    assert response.status_code == 200
    told: dict[str, Any] = response.json()
    return told


def actions(task: Task) -> Iterator[str]:
    plan = plans.make("admin", Task.objects.filter(pk=task.pk))
    for name in ("purge_begin", "purge_agree", "purge_refuse", "purge_cancel"):
        yield reverse(f"taskboard:{name}", args=[plan.pk])
    rule = search_holds.add("admin", "pricing", "Audit")
    yield reverse("taskboard:end_hold", args=[rule.pk])
    yield reverse("taskboard:change_keeping_time", args=["linear"])
    for name in ("hold", "release"):
        yield reverse(f"taskboard:{name}", args=[task.public_id])
    yield from (reverse(f"taskboard:{name}") for name in ("plan_purge", "carry_on", "add_hold"))


def test_only_administrators_see_them(operator: Any, manager: Any, outsider: Any, at_admin: Client) -> None:
    record = purge.purge_task(make_finished_task().pk, "admin")
    plan = plans.make("admin", Task.objects.filter(pk=make_finished_task().pk))
    task = make_finished_task()
    pages = [f"/retention/{page}" for page in PAGES]
    pages += [f"/retention/purges/{plan.pk}/", f"/retention/purges/{plan.pk}.csv"]
    pages += [f"/tasks/{task.public_id}/keeping/"]
    archive = reverse("taskboard:archive", args=[record.pk])
    for page in [*pages, "/retention.json", f"/retention/purges/{plan.pk}.json", "/retention/records.json"]:
        assert at_admin.get(page).status_code == 200, page
        assert {logged_in(one).get(page).status_code for one in (operator, manager, outsider)} == {403}, page
        assert Client().get(page).status_code in (302, 401), page
    assert {logged_in(one).get(archive).status_code for one in (operator, manager, outsider)} == {403}


def test_only_administrators_may_act_and_nothing_changes_on_get(
    operator: Any, manager: Any, at_admin: Client
) -> None:
    task = make_full_task()
    for address in actions(task):
        for person in (operator, manager):
            told = {"task": task.public_id, "reason": "x", "q": "x"}
            assert logged_in(person).post(address, told).status_code == 403, address
        assert at_admin.get(address).status_code == 405, address
    task.refresh_from_db()
    assert (task.on_hold, task.held) == (False, False)


def test_they_say_when_there_is_nothing(at_admin: Client) -> None:
    for page, sentence in {
        "": "Nothing has expired", "kept/": "Nothing is kept past its time", "coming/": "Nothing expires soon",
        "holds/": "Nothing is on hold", "purges/": "No purge was previewed yet",
        "records/": "Nothing has been purged yet",
    }.items():  # fmt: skip
        assert sentence in text(at_admin, page)


def test_what_expired_what_is_kept_and_why(at_admin: Client) -> None:
    make_full_task(goal="The expired one")
    held = make_finished_task(goal="The held one")
    hold.hold(held.pk, "admin", "Lawsuit <b>17</b>")
    make_finished_task(goal="The next one", expires_at=timezone.now() + timedelta(days=3))
    make_task(goal="The running one")
    assert "The expired one" in text(at_admin)
    assert "It is on hold: Lawsuit &lt;b&gt;17&lt;/b&gt;" in text(at_admin, "kept/")
    assert "The next one" in text(at_admin, "coming/")
    for page in PAGES[:3]:
        assert "The running one" not in text(at_admin, page)


def test_the_rows_of_a_very_large_task_are_taken_to_be_as_those_of_the_others(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, large = make_task(), make_task()
    for task, items in ((small, 2), (large, 6)):
        for _ in range(items):
            make_step(make_item(task))
    for _ in range(4):
        Comment.objects.create(task=small, author=operator, at=timezone.now(), text="so it is")
    tasks = list(Task.objects.filter(pk__in=[small.pk, large.pk]).order_by("pk"))
    counted = size.about(tasks)
    monkeypatch.setattr(size, "MOST_STEPS", 2)
    assert counted[small.pk] == size.about(tasks)[small.pk]
    assert size.about(tasks)[large.pk].rows == counted[large.pk].rows + 12


def test_sizes_are_estimated_with_links_and_files(at_admin: Client) -> None:
    task = make_full_task()
    seen = preview(task)
    shown = data(at_admin)["tasks"][0]
    counters = ("taskboard.item", "taskboard.step", "taskboard.checkpoint")
    others = sum(number for label, number in seen.rows.items() if label not in counters)
    assert seen.rows["seo_audit.sitelink"] == 3
    assert shown["rows_estimated"] == others + task.total + 3 + task.last_ordinal
    assert (shown["files"], seen.files) == (2, 2)
    assert shown["bytes_estimated"] > size.of_rows({"taskboard.task": 1}) + seen.bytes
    assert "2 files" in text(at_admin)


def test_a_preview_of_nothing_says_that_nothing_is_ticked(at_admin: Client) -> None:
    make_full_task()
    response = at_admin.post(reverse("taskboard:plan_purge"))
    assert response.status_code == 422
    assert "No task is ticked." in response.content.decode()


def test_a_keeping_time_of_nothing_reads_well(at_admin: Client) -> None:
    task = make_finished_task(keep_for=timedelta())
    page = at_admin.get(reverse("taskboard:keeping", args=[task.public_id])).content.decode()
    assert "no time: it expires as soon as it ends" in page
    assert kept_for(timedelta()) == "not at all"


@pytest.mark.parametrize("page", ["", "kept/", "coming/"])
def test_the_number_of_queries_does_not_grow_with_the_tasks(at_admin: Client, page: str) -> None:
    over: dict[str, Any] = {
        "": {}, "kept/": {"on_hold": True, "hold_reason": "x"},
        "coming/": {"expires_at": timezone.now() + timedelta(days=1)},
    }[page]  # fmt: skip

    def queries(number: int) -> int:
        for _number in range(number):
            make_finished_task(**over)
        with CaptureQueriesContext(connection) as seen:
            text(at_admin, page)
        return len(seen)

    few = queries(2)
    assert queries(10) == few <= 30


@pytest.mark.parametrize("page", ["", "kept/", "coming/"])
def test_lists_are_paged_by_the_last_row_seen(
    at_admin: Client, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("taskboard.views.retention.PER_PAGE", 2)
    now = timezone.now()
    over: dict[str, Any] = {"kept/": {"on_hold": True, "hold_reason": "x"}}.get(page, {})
    for number in range(5):
        shift = timedelta(days=number + 1) if page == "coming/" else timedelta(days=number - 30)
        make_finished_task(expires_at=now + shift, **over)
    found, following = [], f"/retention/{page}".removesuffix("/") + ".json"
    while following:
        told = at_admin.get(following).json()
        found += [one["task_id"] for one in told["tasks"]]
        following = told["next"]
    assert found == list(Task.objects.order_by("pk").values_list("public_id", flat=True))
    assert "rel=&quot;next" in text(at_admin, page) or 'rel="next"' in text(at_admin, page)


@pytest.mark.parametrize(
    "after", ["x", "~", "2026~x", "9" * 30, "2026-09-17T10:00:00+00:00~99999999999999999999"]
)
def test_an_odd_page_is_the_first(at_admin: Client, after: str) -> None:
    task = make_finished_task()
    assert task.public_id in text(at_admin, after=after)


@pytest.mark.parametrize("before", ["x", "-1", "9" * 30, "٣", "1' OR 1=1"])
def test_an_odd_page_of_records_is_the_first(at_admin: Client, before: str) -> None:
    record = purge.purge_task(make_finished_task().pk, "admin")
    assert record.public_id in text(at_admin, "records/", before=before)


def test_a_record_tells_what_went_and_its_archive_can_be_downloaded(at_admin: Client) -> None:
    record = purge.purge_task(make_full_task(goal="诊断").pk, "admin")
    page = text(at_admin, "records/")
    assert record.archive_sha256 in page
    told = data(at_admin, "records")["records"][0]
    assert (told["goal"], told["spent_usd"], told["sha256"]) == ("诊断", "0.15", record.archive_sha256)
    response: Any = at_admin.get(reverse("taskboard:archive", args=[record.pk]))
    content = b"".join(response.streaming_content)
    with purge.archive.open_file(record) as file:
        assert content == file.read()
    assert response.headers["Content-Disposition"] == f'attachment; filename="{record.archive}"'


def test_the_automatic_run_and_the_disk_are_told(at_admin: Client, settings: Any) -> None:
    assert data(at_admin)["next_automatic_run"] is None
    settings.TASKBOARD_AUTO_PURGE = True
    told = data(at_admin)
    assert told["next_automatic_run"]
    assert told["disk"]["database_bytes"] > 10_000
    assert "VACUUM" in told["disk"]["how_to_give_back"]
    assert "VACUUM" in text(at_admin)


def test_every_field_is_documented(at_admin: Client) -> None:
    purge.purge_task(make_full_task().pk, "admin")
    make_finished_task(on_hold=True, hold_reason="x")
    make_finished_task()
    plan = plans.make("admin", Task.objects.filter(on_hold=False))
    documented = set(re.findall(r"`([a-z_0-9]+)`", DOC.read_text(encoding="utf-8")))
    for page in (*PAGES, f"purges/{plan.pk}/"):
        assert set(_fields(data(at_admin, page.removesuffix("/")))) - documented == set(), page


def _fields(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else ():
        yield from _fields(one)
    for name, one in value.items() if isinstance(value, dict) else ():
        yield name
        yield from _fields(one) if name not in ("rows", "counts") else ()


def test_records_are_not_shown_before_their_purge_is_complete(at_admin: Client) -> None:
    purge.begin(make_finished_task().pk, "admin")
    assert PurgeRecord.objects.count() == 1
    assert data(at_admin, "records") == {"records": [], "next": None}
