"""Holds of one task and by a search: they keep what they name, until their day, wherever a purge looks."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from taskboard import document
from taskboard.errors import BadInput, WrongState
from taskboard.models import AuditEntry, HoldRule, Task
from taskboard.retention import days, expiry, hold, purge, search_holds
from tests.factories import NOW, make_finished_task, make_item, make_task
from tests.retention_rows import LATER

pytestmark = pytest.mark.django_db
PRICES = "Audit the pages of https://example.com/pricing"
DAY = timedelta(days=1)


def expired(now: datetime = LATER) -> list[Task]:
    return list(expiry.expired(now))


def test_a_hold_ends_with_its_day() -> None:
    task = make_finished_task()
    hold.hold(task.pk, "admin", "Audit", until=LATER + DAY)
    assert expired() == []
    assert expired(LATER + 2 * DAY) == [task]
    task.refresh_from_db()
    assert "on hold until 2026-12-02 00:00 UTC: Audit" in expiry.why_kept(task, LATER)
    assert expiry.why_kept(task, LATER + 2 * DAY) == ""


def test_a_day_is_meant_in_the_zone_of_the_person_and_to_its_end() -> None:
    with timezone.override(ZoneInfo("Asia/Seoul")):
        end = days.end_of(date(2027, 1, 31), LATER)
    assert end == datetime(2027, 1, 31, 15, tzinfo=ZoneInfo("UTC"))


@pytest.mark.parametrize("day", [date(2026, 11, 30), date(9999, 12, 31)])
def test_a_day_that_is_over_or_too_far_away_is_refused(day: date) -> None:
    with pytest.raises(BadInput, match="day"):
        days.end_of(day, LATER)


def test_a_task_that_still_runs_can_be_held_for_later() -> None:
    task = make_task()
    hold.hold(task.pk, "admin", "Lawsuit")
    task.refresh_from_db()
    assert (task.on_hold, task.hold_by) == (True, "admin")


def test_a_search_holds_what_is_there_and_what_comes(admin: Any) -> None:
    there = make_finished_task(goal=PRICES)
    rule = search_holds.add(admin, "example.com/pricing", "Price audit", until=LATER + DAY)
    comes, other = make_finished_task(goal=PRICES + "/eu"), make_finished_task()
    assert expired() == [other]
    assert list(expiry.kept(LATER)) == [there, comes]
    assert set(expiry.reasons([there, comes], LATER).values()) == {search_holds.why(rule)}
    assert "admin holds everything that matches “example.com/pricing”" in expiry.why_kept(comes, LATER)
    assert expired(LATER + 2 * DAY) == [there, comes, other]


def test_a_purge_refuses_what_a_search_holds() -> None:
    task = make_finished_task(goal=PRICES)
    search_holds.add("admin", "pricing", "Price audit")
    with pytest.raises(WrongState, match="Price audit"):
        purge.begin(task.pk, "admin")
    assert Task.objects.filter(held=True).count() == 0


def test_a_search_that_was_set_after_the_purge_began_still_keeps_what_is_not_archived() -> None:
    task = make_finished_task(goal=PRICES)
    record = purge.begin(task.pk, "admin")
    search_holds.add("admin", "pricing", "Price audit")
    purge.carry_out(record)
    assert Task.objects.get() == task


def test_it_knows_the_words_of_the_search_and_items() -> None:
    first, second = make_finished_task(created_by_name="ann"), make_finished_task(created_by_name="bob")
    make_item(second, "pricing/eu.html")
    for search, held in [
        ("owner:ann", [first]),
        ("-owner:ann", [second]),
        ("item:pricing", [second]),
        ("created:>=2026-09-17 status:completed", [first, second]),
        ("created:<2026-09-17", []),
    ]:
        found = search_holds.found(search, Task.objects.order_by("pk"))
        assert list(found) == held, search


@pytest.mark.parametrize(
    "search", ["", "  ", "color:red", "created:today", "-created:>=Yesterday", "cost:much"]
)
def test_a_search_that_means_nothing_or_moves_with_the_day_is_refused(search: str) -> None:
    with pytest.raises(BadInput):
        search_holds.add("admin", search, "Audit")
    assert not HoldRule.objects.exists()


def test_a_hold_needs_a_reason() -> None:
    with pytest.raises(BadInput, match="Say why"):
        search_holds.add("admin", "pricing", " ")


def test_a_hold_that_nobody_can_read_any_more_holds_everything() -> None:
    task = make_finished_task()
    rule = search_holds.add("admin", "pricing", "Audit")
    HoldRule.objects.filter(pk=rule.pk).update(search="gone:word")
    assert list(expiry.kept(LATER)) == [task]


def test_days_of_a_search_stay_those_of_its_author() -> None:
    early = make_finished_task(created_at=datetime(2026, 9, 16, 16, tzinfo=ZoneInfo("UTC")))
    with timezone.override(ZoneInfo("Asia/Seoul")):
        search_holds.add("admin", "created:2026-09-17", "Audit")
    assert list(expiry.kept(LATER)) == [early]


def test_an_ended_hold_keeps_nothing_and_ends_once(admin: Any) -> None:
    task = make_finished_task(goal=PRICES)
    rule = search_holds.add(admin, "pricing", "Audit")
    search_holds.end(rule.pk, admin)
    assert expired() == [task]
    with pytest.raises(WrongState, match="over already"):
        search_holds.end(rule.pk, admin)


def test_the_audit_log_tells_of_every_hold(admin: Any) -> None:
    task = make_finished_task()
    hold.hold(task.pk, admin, "Audit", until=LATER)
    hold.release(task.pk, admin)
    search_holds.end(search_holds.add(admin, "pricing", "Audit").pk, admin)
    told = list(AuditEntry.objects.order_by("pk").values_list("actor", "action", "target"))
    assert told == [
        ("admin", "hold", task.public_id), ("admin", "release", task.public_id),
        ("admin", "hold_rule", "pricing"), ("admin", "hold_rule_ended", "pricing"),
    ]  # fmt: skip


def test_a_hold_stands_in_the_document_of_the_task() -> None:
    from_document = {
        "on_hold": True,
        "hold_reason": "Audit",
        "hold_by": "admin",
        "hold_until": LATER.isoformat(),
    }
    task = make_finished_task(on_hold=True, hold_reason="Audit", hold_by="admin", hold_until=LATER)
    assert document.of(task)["retention"].items() >= from_document.items()


def test_a_task_that_an_open_one_continues_is_kept() -> None:
    task = make_finished_task()
    follower = make_task(continues=task, created_at=NOW)
    assert (expired(), list(expiry.kept(LATER))) == ([], [task])
    assert f"Task {follower.public_id} continues it" in expiry.why_kept(task, LATER)
