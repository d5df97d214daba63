"""TIME-01: the automatic purge runs exactly once per local day, also on the days on which clocks change."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from config.celery import app
from taskboard.models import AuditEntry, PurgePlan, PurgeRecord, Task
from taskboard.retention import automatic, consent, expiry, purge
from taskboard.retention.plans import PlanChanged
from tests.conftest import make_person
from tests.factories import make_finished_task

pytestmark = pytest.mark.django_db
TICK = timedelta(seconds=app.conf.beat_schedule["purge"]["schedule"])
CHANGES = [
    ("Europe/Paris", date(2026, 3, 29)), ("Europe/Paris", date(2026, 10, 25)),
    ("America/New_York", date(2026, 3, 8)), ("America/New_York", date(2026, 11, 1)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def on(settings: Any) -> Any:
    settings.TASKBOARD_AUTO_PURGE, settings.TASKBOARD_AUTO_PURGE_AT = True, time(2, 30)
    return settings


def ticks(zone: ZoneInfo, day: date) -> list[datetime]:
    """Every ten minutes from the day before to the day after, as beat ticks: in true time."""
    first = datetime.combine(day - timedelta(days=1), time(), zone).astimezone(UTC)
    last = datetime.combine(day + timedelta(days=2), time(), zone).astimezone(UTC)
    return [first + number * TICK for number in range(int((last - first) / TICK))]


@pytest.mark.parametrize(("name", "day"), CHANGES)
@pytest.mark.parametrize("at", [time(0), time(2, 30), time(2, 35), time(22, 50)])
def test_one_run_per_local_day(on: Any, name: str, day: date, at: time) -> None:
    on.TASKBOARD_TIME_ZONE, on.TASKBOARD_AUTO_PURGE_AT = name, at
    zone = ZoneInfo(name)
    runs = [moment for moment in ticks(zone, day) if automatic.tick(moment)]
    days = Counter(moment.astimezone(zone).date() for moment in runs)
    assert days == {day + timedelta(days=number): 1 for number in (-1, 0, 1)}
    assert all(moment.astimezone(zone).time() >= at for moment in runs)
    assert set(PurgePlan.objects.values_list("day", flat=True)) == set(days)


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_the_next_run_is_shown_right(on: Any, name: str, day: date) -> None:
    on.TASKBOARD_TIME_ZONE = name
    zone = ZoneInfo(name)
    for moment in ticks(zone, day):
        if (
            moment.minute and moment.astimezone(zone).hour > 3
        ):  # the hours around the change, and each full hour
            continue
        shown = automatic.next_run(moment)
        assert shown is not None
        if automatic.tick(moment):
            assert shown == moment
        else:
            assert moment < shown <= moment + timedelta(hours=25)
    assert automatic.next_run(datetime.combine(day, time(1), zone)) is not None


def test_the_hour_that_spring_swallows_is_made_up_for_at_once(on: Any) -> None:
    on.TASKBOARD_TIME_ZONE = "Europe/Paris"
    before = datetime(2026, 3, 29, 0, 0, tzinfo=UTC)
    assert automatic.next_run(before) == datetime(2026, 3, 29, 1, 0, tzinfo=UTC)  # 03:00 there


def test_off_by_default_it_does_nothing(on: Any) -> None:
    on.TASKBOARD_AUTO_PURGE = False
    make_finished_task()
    assert (automatic.tick(), automatic.next_run(timezone.now())) == (None, None)
    assert not PurgePlan.objects.exists()


def at_three() -> datetime:
    """Today, when it is time."""
    return timezone.now().replace(hour=3)


def test_it_purges_what_has_expired_under_the_same_rules() -> None:
    gone, held = make_finished_task(), make_finished_task(on_hold=True, hold_reason="Audit")
    plan = automatic.tick(at_three())
    purge.carry_on(seconds=60)
    assert plan is not None
    assert list(Task.objects.all()) == [held]
    record = PurgeRecord.objects.get()
    assert (record.public_id, record.purged_by, record.plan) == (gone.public_id, "system", plan)
    assert set(AuditEntry.objects.values_list("actor", flat=True)) == {"system"}


def test_with_two_administrators_it_asks_and_does_not_ask_twice_for_the_same(on: Any) -> None:
    on.TASKBOARD_PURGE_SECOND_PERSON = True
    task = make_finished_task()
    plan = automatic.tick(at_three())
    assert plan is not None
    assert plan.state == "asked"
    next_day = automatic.tick(at_three() + timedelta(days=1))
    assert next_day is not None
    assert (next_day.size, Task.objects.get(pk=task.pk).held) == (0, False)
    assert consent.agree(plan, make_person("bob", "Administrators")).state == "running"  # type: ignore[arg-type]


def test_a_run_that_died_before_it_began_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    make_finished_task()
    with monkeypatch.context() as patch:
        patch.setattr(consent, "begin", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            automatic.tick(at_three())
    make_finished_task()
    plan = automatic.tick(at_three())
    assert plan is not None
    assert (plan.size, PurgePlan.objects.count()) == (2, 1)


def test_what_changed_at_that_moment_is_for_the_next_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    make_finished_task()
    with monkeypatch.context() as patch:
        patch.setattr(consent, "differences", lambda *_: ["It was held."])
        assert automatic.tick(at_three()) is None
    assert automatic.tick(at_three()) is not None


def test_two_ticks_at_once_make_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    make_finished_task()
    expired = expiry.expired

    def meanwhile(now: datetime) -> Any:
        monkeypatch.setattr(expiry, "expired", expired)
        assert automatic.tick(at_three())
        return expired(now)

    monkeypatch.setattr(expiry, "expired", meanwhile)
    assert automatic.tick(at_three()) is None
    assert (PurgePlan.objects.count(), PurgeRecord.objects.count()) == (1, 1)


def test_a_changed_plan_is_an_error_that_people_can_read() -> None:
    assert "Nothing was purged" in PlanChanged(["It was held."]).message
