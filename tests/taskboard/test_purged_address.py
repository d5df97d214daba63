"""The address of a purged task: who might have seen it reads what became of it, and nobody else learns anything."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from taskboard import audit, tokens
from taskboard.models import Profile, PurgeRecord, Task
from taskboard.retention import purge, purged
from tests.conftest import logged_in, make_person
from tests.factories import make_finished_task, make_item

pytestmark = pytest.mark.django_db
FACTS = {"error", "task_id", "purged_at", "purged_by"}


@pytest.fixture
def gone(admin: Any) -> PurgeRecord:
    task = make_finished_task(goal="Audit the pages of a client")
    make_item(task, "pricing")
    return purge.purge_task(task.pk, admin)


def places(record: PurgeRecord) -> list[str]:
    task = f"/tasks/{record.public_id}/"
    return [task, f"{task}items/pricing/", f"{task}journal/", f"{task}brief/", f"{task}state/"]


def fragments(record: PurgeRecord) -> list[str]:
    parts = f"/tasks/{record.public_id}/parts/"
    return [f"{parts}actions/", f"{parts}item-actions/pricing/", f"{parts}summary/"]


def test_it_says_when_and_by_whom_and_leads_administrators_to_the_record(
    gone: PurgeRecord, admin: Any
) -> None:
    client = logged_in(admin)
    for place in places(gone):
        answer = client.get(place)
        assert answer.status_code == 410, place
        page = answer.content.decode()
        assert f"Task {gone.public_id} was purged on " in page
        assert f"by {admin.username}." in page
        assert f'href="/retention/records/?task={gone.public_id}"' in page
    assert gone.archive_sha256[:12] in client.get(purged.address(gone.public_id)).content.decode()


def test_others_read_the_sentence_without_the_way_to_the_record(gone: PurgeRecord, operator: Any) -> None:
    page = logged_in(operator).get(places(gone)[0])
    assert page.status_code == 410
    assert f"Task {gone.public_id} was purged on " in page.content.decode()
    assert "/retention/" not in page.content.decode()
    assert gone.goal not in page.content.decode()


def test_scripts_get_the_same_as_fields(gone: PurgeRecord, operator: Any, admin: Any) -> None:
    place = f"/tasks/{gone.public_id}"
    told = logged_in(operator).get(f"{place}.json")
    assert (told.status_code, told.json().keys()) == (410, FACTS)
    assert told.json()["purged_by"] == admin.username
    told = logged_in(admin).get(f"{place}/items.json")
    assert (told.status_code, told.json()["record"]) == (410, purged.address(gone.public_id))
    _token, text = tokens.make(operator, "a script", timezone.localdate())
    for page in (f"{place}/", f"{place}/state.json", f"{place}/journal.jsonl"):
        told = Client().get(page, headers={"Authorization": f"Bearer {text}"})
        assert (told.status_code, told["Content-Type"]) == (410, "application/json")
        assert "was purged" in told.json()["error"]


def test_a_button_of_an_open_page_says_it_too(gone: PurgeRecord, operator: Any) -> None:
    told = logged_in(operator).post(f"/tasks/{gone.public_id}/pause/", headers={"HX-Request": "true"})
    assert told.status_code == 410
    assert "was purged" in told.content.decode()


def test_a_part_that_an_open_page_fetches_again_says_it_too(gone: PurgeRecord, operator: Any) -> None:
    for place in fragments(gone):
        told = logged_in(operator).get(place, headers={"HX-Request": "true"})
        assert told.status_code == 410, place
        assert "was purged" in told.content.decode()


def test_who_could_not_see_the_task_learns_nothing(gone: PurgeRecord, outsider: Any) -> None:
    stranger = User.objects.create_user("only-retention")
    stranger.user_permissions.add(Permission.objects.get(codename="retain_task"))
    for who in (Client(), logged_in(outsider), logged_in(stranger)):
        for suffix in ("/", ".json"):
            purged_one = who.get(f"/tasks/{gone.public_id}{suffix}")
            never_there = who.get(f"/tasks/task_20200101_0001{suffix}")
            assert purged_one.status_code == never_there.status_code != 410
            assert gone.public_id not in purged_one.content.decode()
    assert purged.told(stranger, gone.public_id) is None


def test_an_address_that_never_was_stays_not_found(gone: PurgeRecord, admin: Any) -> None:
    client = logged_in(admin)
    assert client.get("/tasks/task_20200101_0001/").status_code == 404
    assert client.get("/tasks/task_20200101_0001.json").status_code == 404


def test_a_purge_that_has_only_begun_hides_nothing(admin: Any) -> None:
    task = make_finished_task()
    purge.begin(task.pk, admin)
    assert logged_in(admin).get(task.get_absolute_url()).status_code == 200


def test_a_task_that_is_there_again_is_shown(gone: PurgeRecord, admin: Any) -> None:
    again = make_finished_task()
    Task.objects.filter(pk=again.pk).update(public_id=gone.public_id)

    assert logged_in(admin).get(places(gone)[0]).status_code == 200


def test_the_automatic_purge_is_named_as_what_it_is_in_the_zone_of_the_reader() -> None:
    record = purge.purge_task(make_finished_task().pk, audit.SYSTEM)
    reader = make_person("reader", "Operators")
    Profile.objects.create(user=reader, time_zone="Asia/Seoul")
    page = logged_in(reader).get(places(record)[0]).content.decode()
    assert "automatically" in page
    assert "KST" in page


def test_records_are_found_by_their_task(gone: PurgeRecord, admin: Any) -> None:
    other, client = purge.purge_task(make_finished_task().pk, admin), logged_in(admin)
    page = client.get("/retention/records/", {"task": f" {gone.public_id}\0"}).content.decode()
    assert gone.public_id in page
    assert other.public_id not in page
    assert "No purge of this task is recorded." in client.get("/retention/records/?task=x").content.decode()
    told = client.get("/retention/records.json", {"task": other.public_id}).json()
    assert [row["task_id"] for row in told["records"]] == [other.public_id]
