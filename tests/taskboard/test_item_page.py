"""The page of one item, and the journal."""

import json
from datetime import UTC, datetime

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.test import Client

from taskboard import lifecycle
from taskboard.models import Artifact, Kind, StepStatus
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

NOW = datetime(2026, 9, 17, 9, 0, tzinfo=UTC)


def read(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def test_it_shows_accepted_and_verified_apart(operator: AbstractBaseUser) -> None:
    item = make_item(make_task(), "page_087")
    make_step(
        item,
        "create_ticket",
        status=StepStatus.DONE,
        idempotency_key="k:1",
        external_id="T-8812",
        executed_at=NOW,
        verified_at=NOW,
        verified_how="Ticket T-8812 reads back",
        cost_micro=30_000,
    )
    html = read(logged_in(operator), item.get_absolute_url())
    for told in ("T-8812", "k:1", "Accepted", "Verified", "Ticket T-8812 reads back", "$0.03"):
        assert told in html


def test_steps_that_a_later_revision_replaced_are_kept_apart(operator: AbstractBaseUser) -> None:
    item = make_item(make_task())
    make_step(item, "propose", status=StepStatus.SUPERSEDED, summary="first try")
    make_step(item, "propose", revision=2, status=StepStatus.DONE, summary="second try")
    html = read(logged_in(operator), item.get_absolute_url())
    assert html.index("second try") < html.index("first try")
    assert "1 step that a later revision replaced" in html


@pytest.mark.parametrize("key", ["a/b/c.html", "with space", "Ünï", "a?b=c#d", "100%", "line\nbreak"])
def test_any_key_has_an_address(operator: AbstractBaseUser, key: str) -> None:
    item = make_item(make_task(), key)
    assert "Steps" in read(logged_in(operator), item.get_absolute_url())


def test_it_shows_only_its_own_journal_rows(operator: AbstractBaseUser) -> None:
    task = make_task()
    item, other = make_item(task, "mine"), make_item(task, "other")
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.NOTE, item=item.key, data={"text": "told of mine"})
        change.record(Kind.NOTE, item=other.key, data={"text": "told of the other"})
    html = read(logged_in(operator), item.get_absolute_url())
    assert "told of mine" in html
    assert "told of the other" not in html


def test_a_failed_step_offers_to_try_again_and_to_skip(
    operator: AbstractBaseUser, manager: AbstractBaseUser
) -> None:
    item = make_item(make_task())
    make_step(item, "notify", status=StepStatus.FAILED, error="refused")
    assert "Try notify again" in read(logged_in(operator), item.get_absolute_url())
    assert "Try notify again" not in read(logged_in(manager), item.get_absolute_url())


def test_the_journal_shows_the_newest_hundred_and_loads_older_ones(operator: AbstractBaseUser) -> None:
    task = make_task()
    with lifecycle.changing(task.pk, "ops") as change:
        for number in range(120):
            change.record(Kind.NOTE, data={"text": f"row {number}."})
    client = logged_in(operator)
    newest = read(client, f"{task.get_absolute_url()}journal/")
    assert "row 119." in newest
    assert "row 19." not in newest
    assert "?before=22" in newest
    older = read(client, f"{task.get_absolute_url()}journal/?before=22")
    assert "row 19." in older
    assert "row 20." not in older


def test_the_journal_is_downloaded_line_by_line(operator: AbstractBaseUser) -> None:
    task = make_task()
    response = logged_in(operator).get(f"{task.get_absolute_url()}journal.jsonl")
    lines = [json.loads(line) for line in response.getvalue().decode().splitlines()]
    assert [line["ordinal"] for line in lines] == [1]
    assert "attachment" in response["Content-Disposition"]


def test_the_state_is_downloaded_as_one_document(operator: AbstractBaseUser) -> None:
    task = make_task()
    response = logged_in(operator).get(f"{task.get_absolute_url()}state.json")
    assert json.loads(response.getvalue())["task_id"] == task.public_id


def test_a_managed_artifact_is_always_a_download(operator: AbstractBaseUser) -> None:
    task = make_task()
    place = storages["artifacts"].save("tests/page.html", ContentFile(b"<script>alert(1)</script>"))
    artifact = Artifact.objects.create(
        task=task, name="a/page.html", place=place, managed=True, created_at=NOW
    )
    client = logged_in(operator)
    response = client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/")
    assert response.getvalue() == b"<script>alert(1)</script>"
    assert response["Content-Disposition"] == 'attachment; filename="page.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Type"] == "application/octet-stream"
    storages["artifacts"].delete(place)
    assert client.get(f"{task.get_absolute_url()}artifacts/{artifact.pk}/").status_code == 404


def test_an_artifact_of_another_task_is_not_found(operator: AbstractBaseUser) -> None:
    artifact = Artifact.objects.create(task=make_task(), name="a", place="a", managed=True, created_at=NOW)
    response = logged_in(operator).get(f"{make_task().get_absolute_url()}artifacts/{artifact.pk}/")
    assert response.status_code == 404
