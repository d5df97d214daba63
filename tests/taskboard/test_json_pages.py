"""The data of pages, for scripts."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.files.base import ContentFile
from django.test import Client

import tests.workflows  # noqa: F401 registers the zoo
from approvals.models import Approval
from taskboard import artifacts
from taskboard.models import (
    Artifact,
    BulkJob,
    BulkResult,
    Comment,
    Item,
    ItemStatus,
    LedgerEntry,
    Profile,
    StepStatus,
    Task,
    TaskStatus,
)
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task

DOC = Path(__file__).parents[2] / "docs" / "json.md"
ADDRESSES = (
    "/tasks.json", "/attention.json", "/activity.json", "/items.json?q=page", "{task}", "{items}", "{item}",
    "{journal}", "/approvals.json?show=open", "{question}", "{base}/brief.json", "{base}/compare.json",
    "/tasks/new.json", "/tasks/new/linear.json", "{base}/bulk.json?action=retry&all=1", "{bulk}", "{artifact}",
    "/approvals/absence.json", "/approvals/export.json", "/profile.json", "/profile/tokens.json",
)  # fmt: skip


@pytest.fixture
def task(db: None) -> Task:
    """A question, a failure, something unknown, a result: each list has a row."""
    approval = make_approval()
    task = approval.task
    item = make_item(task, "page a/b.json", status=ItemStatus.FAILED)
    make_step(item, "look", status=StepStatus.FAILED, error="no", error_class="Timeout", attempt=1)
    make_step(make_item(task, status=ItemStatus.BLOCKED), "pay", status=StepStatus.UNKNOWN, attempt=1)
    make_step(make_item(task, status=ItemStatus.BLOCKED), "pay", status=StepStatus.BLOCKED, attempt=3)
    place = "https://x.example/r"
    Artifact.objects.create(task=task, item=item, name="report", place=place, created_at=task.created_at)
    file = Artifact(
        task=task, name="notes.md", managed=True, created_at=task.created_at, place="results/notes.md"
    )
    file.place = artifacts.storage().save(file.place, ContentFile(b"# Read"))
    file.save()
    Comment.objects.create(task=task, item=item, author_name="ops", text="Seen", at=task.created_at)
    job = BulkJob.objects.create(
        task=task, action="retry", by_name="ops", created_at=task.created_at, total=1
    )
    BulkResult.objects.create(job=job, position=1, item_key=item.key, outcome="done")
    charge(task, item)
    make_task(status=TaskStatus.RUNNING)
    return Task.objects.get(pk=task.pk)


def charge(task: Task, item: Item) -> None:
    LedgerEntry.objects.create(
        task=task, item=item, step="look", at=task.created_at, amount_micro=1, source="a"
    )


def address(pattern: str, task: Task) -> str:
    base = f"/tasks/{task.public_id}"
    return pattern.format(
        task=f"{base}.json",
        items=f"{base}/items.json",
        item=f"{base}/items/page a/b.json.json",
        journal=f"{base}/journal.json",
        question=f"/approvals/{Approval.objects.get().pk}.json",
        base=base,
        bulk=f"{base}/bulk/{BulkJob.objects.get().pk}.json",
        artifact=f"{base}/artifacts/{Artifact.objects.get(managed=True).pk}/preview.json",
    )


def fetch(person: AbstractBaseUser, where: str) -> Any:
    response = logged_in(person).get(where)
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "application/json"
    return response.json()


@pytest.mark.parametrize("pattern", ADDRESSES)
def test_every_field_is_documented(operator: AbstractBaseUser, task: Task, pattern: str) -> None:
    documented = set(re.findall(r"`([a-z_0-9]+)`", DOC.read_text(encoding="utf-8")))
    found = set(fields(fetch(operator, address(pattern, task))))
    assert found - documented == set()


def fields(value: Any, inside: str = "") -> Iterator[str]:
    """The names of all fields; what lies in free data, counts per status and questions is not ours to list."""
    free = (
        "data",
        "params",
        "outputs",
        "progress",
        "counts",
        "steps" if inside == "" else "",
        "usage",
        "approvals",
        "payload",
        "evidence",
        "selection",
    )
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            if name not in free or (name == "steps" and isinstance(part, list)):
                yield from fields(part, name)
    if isinstance(value, list):
        for part in value:
            yield from fields(part, inside)


def test_one_address_answers_people_and_scripts(operator: AbstractBaseUser, task: Task) -> None:
    client = logged_in(operator)
    page = client.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    data = client.get("/", headers={"Accept": "application/json"})
    part = client.get("/", headers={"Accept": "application/json", "HX-Request": "true"})
    assert page["Content-Type"].startswith("text/html")
    assert part["Content-Type"].startswith("text/html")
    assert data.json() == fetch(operator, "/tasks.json")
    assert all("Accept" in response["Vary"].split(", ") for response in (page, data, part))
    assert data["Cache-Control"] == "no-store"


def test_a_form_that_is_sent_is_answered_as_one_whatever_is_accepted(operator: AbstractBaseUser) -> None:
    answer = logged_in(operator).post("/tasks/new/linear/", {}, headers={"Accept": "application/json"})
    assert (answer.status_code, answer["Content-Type"]) == (422, "text/html; charset=utf-8")


def test_a_script_without_a_name_hears_so_where_the_data_is_a_file(client: Client, task: Task) -> None:
    answer = client.get(f"/tasks/{task.public_id}/state/", headers={"Accept": "application/json"})
    assert (answer.status_code, "Log in first" in answer.json()["error"]) == (401, True)


def test_an_item_is_found_by_its_key_whatever_it_ends_in(operator: AbstractBaseUser, task: Task) -> None:
    item = Item.objects.get(key="page a/b.json")
    client = logged_in(operator)
    assert client.get(item.get_absolute_url())["Content-Type"].startswith("text/html")
    assert (
        client.get(item.get_absolute_url(), headers={"Accept": "application/json"}).json()["key"] == item.key
    )
    told = fetch(operator, address("{item}", task))
    assert told["key"] == item.key
    assert told["steps"][0]["error_class"] == "Timeout"
    assert told["artifacts"][0]["place"] == "https://x.example/r"


def test_a_task_tells_amounts_as_text_and_times_with_their_offset(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    created = datetime(2026, 9, 10, 15, 30, tzinfo=UTC)
    task = make_task(created_at=created, spent_micro=7_350_000, limit_micro=20_000_000)
    for told in (
        fetch(operator, f"/tasks/{task.public_id}.json"),
        fetch(operator, "/tasks.json")["tasks"][0],
    ):
        assert told["created_at"] == "2026-09-11T00:30:00+09:00"
        assert told["budget"]["spent_usd"] == "7.35"
        assert told["budget"]["limit_usd"] == "20.00"


def test_the_list_says_whom_a_task_waits_for_and_counts_its_tabs(
    operator: AbstractBaseUser, task: Task
) -> None:
    told = fetch(operator, "/tasks.json?tab=waiting")
    assert told["counts"] == {"all": 2, "running": 1, "queue": 0, "waiting": 1, "attention": 1, "finished": 0}
    asked = told["tasks"][0]["waits_for"]
    assert [(one["group"], one["count"]) for one in asked] == [("Managers", Approval.objects.count())]


def test_pages_follow_each_other_to_the_end(operator: AbstractBaseUser) -> None:
    tasks = [make_task() for _ in range(51)]
    first = fetch(operator, "/tasks.json?sort=name")
    second = fetch(operator, first["next"])
    assert second["next"] is None
    found = [one["task_id"] for page in (first, second) for one in page["tasks"]]
    assert sorted(found) == [task.public_id for task in tasks]


def test_items_follow_the_filter_and_each_other(operator: AbstractBaseUser) -> None:
    task = make_task()
    rows = [
        Item(task=task, key=f"n{n:03}", position=n, updated_at=task.created_at, status="done")
        for n in range(1, 203)
    ]
    Item.objects.bulk_create(rows)
    where = f"/tasks/{task.public_id}/items.json?status=done"
    first = fetch(operator, where)
    second = fetch(operator, first["next"])
    assert len(first["items"]) == 200
    assert [item["key"] for item in second["items"]] == ["n201", "n202"]
    assert "status=done" in first["next"]


def test_the_journal_is_told_by_kind_and_item(operator: AbstractBaseUser, task: Task) -> None:
    where = f"/tasks/{task.public_id}/journal.json"
    every = fetch(operator, where)["rows"]
    assert [row["ordinal"] for row in every] == list(range(task.last_ordinal, 0, -1))
    assert {row["kind"] for row in fetch(operator, f"{where}?kind=asked")["rows"]} == {"asked"}
    assert fetch(operator, f"{where}?before=2")["rows"][0]["ordinal"] == 1


@pytest.mark.parametrize(
    ("where", "status"),
    [
        ("/tasks.json?q=colour:red", 422),
        ("/tasks/task_20000101_0001.json", 404),
        ("/tasks/task_20000101_0001/items/a.json", 404),
        ("/tasks/task_20000101_0001/items.json", 404),
    ],
)
def test_a_refusal_is_a_sentence(operator: AbstractBaseUser, where: str, status: int) -> None:
    response = logged_in(operator).get(where)
    assert response.status_code == status
    assert response.json()["error"]


def test_it_is_not_for_strangers_and_changes_nothing(
    outsider: AbstractBaseUser, client: Client, task: Task
) -> None:
    for pattern in ADDRESSES:
        where = address(pattern, task)
        assert client.get(where).status_code == 401
        assert logged_in(outsider).get(where).status_code == 403
        assert logged_in(outsider).post(where).status_code == 405
