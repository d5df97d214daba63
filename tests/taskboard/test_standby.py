"""A restored, copied or put back database stands by until an administrator lifts that."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from approvals.models import Approval
from taskboard import health, jobs, place, standby
from taskboard.errors import BadInput, WrongState
from taskboard.models import AuditEntry, Heartbeat, Installation
from tests.conftest import logged_in
from tests.factories import make_approval, make_task

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def installation(**fields: Any) -> Installation:
    standby.stands_by()
    Installation.objects.update(**fields)
    return Installation.objects.get()


def test_a_first_start_works_and_remembers_its_place() -> None:
    assert not standby.stands_by()
    row = Installation.objects.get()
    assert row.place == place.here() != ""
    assert (seen := place.seen())
    assert (seen.mark, seen.alive_at) == (row.mark, row.alive_at)


def test_a_database_that_was_last_used_elsewhere_is_a_copy() -> None:
    installation(place='["a machine", "/srv/other/db.sqlite3", 0]')
    assert standby.stands_by()
    assert Installation.objects.get().why == "copied"
    assert standby.told().endswith("it was last used at another place.")


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("", '["m", "/a", 1]'),
        ('["m", "/a", 1]', '["m", "/moved", 1]'),
        ('["m", "/a", 1]', '["m", "/a", 2]'),
        ('["", "/a", 1]', '["m", "/a", 2]'),
        ("postgresql:5:16390", "postgresql:5:16390"),
    ],
    ids=["nothing known", "file moved", "other disk", "container with another name", "the same server"],
)
def test_what_a_healthy_installation_does_is_no_copy(before: str, now: str) -> None:
    assert place.is_same(before, now)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ('["m", "/a", 1]', '["m", "/copy", 2]'),
        ('["m", "/a", 1]', '["n", "/a", 2]'),
        ('["m", "/a", 1]', "postgresql:5:16390"),
        ("postgresql:5:16390", "postgresql:5:17000"),
        ("postgresql:5:16390", "postgresql:6:16390"),
    ],
    ids=["another file", "another machine", "another kind", "restored tables", "another database"],
)
def test_a_copy_is_noticed(before: str, now: str) -> None:
    assert not place.is_same(before, now)


def test_one_that_was_put_back_is_older_than_what_this_machine_saw() -> None:
    row = installation()
    place.remember(row.mark, row.alive_at + timedelta(hours=1))
    assert standby.stands_by()
    assert Installation.objects.get().why == "older"


def test_a_server_that_lacks_the_last_seconds_goes_on() -> None:
    row = installation()
    place.remember(row.mark, row.alive_at + timedelta(seconds=30))
    assert not standby.stands_by()


def test_an_empty_disk_and_a_foreign_mark_say_nothing() -> None:
    row = installation()
    place.remember("another installation", row.alive_at + timedelta(hours=1))
    assert not standby.stands_by()
    assert (seen := place.seen())
    assert seen.mark == row.mark


def test_it_notes_once_a_minute_that_it_is_alive(django_assert_max_num_queries: Any) -> None:
    row = installation()
    with django_assert_max_num_queries(2):
        assert not standby.stands_by(row.alive_at + timedelta(seconds=10))
    assert not standby.stands_by(row.alive_at + timedelta(seconds=61))
    assert Installation.objects.get().alive_at == row.alive_at + timedelta(seconds=61)


def test_no_job_does_anything_and_the_next_one_does_when_it_is_lifted(admin: Any) -> None:
    standby.begin(admin, "a repair")
    late = make_approval()
    Approval.objects.filter(pk=late.pk).update(expires_at=NOW - timedelta(hours=1))
    jobs.sweep()
    late.refresh_from_db()
    assert late.status == "open"
    call_command("standby", "--lift", stdout=StringIO())
    jobs.sweep()
    late.refresh_from_db()
    assert late.status == "expired"


def test_the_scheduler_is_not_silent_meanwhile(admin: Any) -> None:
    standby.begin(admin, "a repair")
    jobs.sweep()
    beat = Heartbeat.objects.get()
    assert (beat.role, [one.role.value for one in health.silent_roles(timezone.now())]) == (
        "beat",
        ["worker"],
    )


@pytest.mark.parametrize("command", [["work", "--until-idle"], ["sweep"], ["resume", "ID"]])
def test_commands_that_act_say_why_they_do_not(command: list[str]) -> None:
    task = make_task(workflow="linear")
    installation(since=NOW, why="restored")
    words = [task.public_id if word == "ID" else word for word in command]
    with pytest.raises(CommandError, match="restored from a backup"):
        call_command(*words, stdout=StringIO())


def test_every_page_says_so_and_leads_an_administrator_to_the_way_on(admin: Any, operator: Any) -> None:
    installation(since=NOW, why="restored")
    page, other = (logged_in(person).get("/").content.decode() for person in (admin, operator))
    assert "no step begins, and nothing is sent" in page
    assert "no step begins, and nothing is sent" in other
    assert "/standby/" in page
    assert "/standby/" not in other
    answer = logged_in(admin).get("/readyz")
    assert answer.status_code == 503
    assert "no step begins, and nothing is sent" in answer.json()["reasons"][0]


def test_the_page_tells_what_would_happen(admin: Any) -> None:
    make_approval()
    make_task(untold="completed")
    installation(since=NOW, why="restored", backup_at=NOW - timedelta(days=1))
    page = logged_in(admin).get("/standby/").content.decode()
    assert "What would be sent" in page
    assert "The backup was made on" in page


def test_only_administrators_lift_it(admin: Any, operator: Any, manager: Any) -> None:
    installation(since=NOW, why="restored")
    for person in (operator, manager):
        assert logged_in(person).post("/standby/lift/", {"drop": "1"}).status_code == 403
    assert standby.stands_by()
    assert logged_in(admin).post("/standby/lift/", {"drop": "1", "unsure": "nonsense"}).status_code == 422
    assert logged_in(admin).post("/standby/lift/", {"drop": "1", "unsure": "ask"}).status_code == 302
    assert not standby.stands_by()
    assert AuditEntry.objects.filter(action="standby_lifted", actor="admin").count() == 1
    assert logged_in(admin).post("/standby/lift/", {"drop": "1"}).status_code == 409


def test_no_machine_measures_the_lifted_one_by_what_it_saw_of_the_former(admin: Any) -> None:
    row = installation()
    place.remember(row.mark, row.alive_at + timedelta(hours=1))
    assert standby.stands_by()
    logged_in(admin).post("/standby/lift/", {"unsure": "ask"})
    place.remember(row.mark, row.alive_at + timedelta(hours=1))  # as another machine has it
    assert not standby.stands_by()


def test_an_administrator_makes_it_stand_by_with_a_reason(admin: Any) -> None:
    with pytest.raises(BadInput):
        standby.begin(admin, "  ")
    assert logged_in(admin).post("/standby/begin/", {"reason": "a clone of the disk"}).status_code == 302
    assert "a clone of the disk" in logged_in(admin).get("/standby/").content.decode()
    with pytest.raises(WrongState):
        standby.begin(admin, "again")


def test_the_command_tells_it_as_json() -> None:
    make_task(workflow="linear")
    out = StringIO()
    call_command("standby", "--begin", "a test", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["stands_by"], told["mails"]) == (True, 0)
