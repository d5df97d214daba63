"""Out of office: entered, listed and ended by people themselves, in the times of their own zone."""

from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import delegation
from approvals.models import Absence, Approval
from taskboard.models import AuditEntry, Profile
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

PAGE = reverse("approvals:absence")
SET = reverse("approvals:go_away")


@pytest.fixture
def second(manager: User) -> User:
    return make_person("second", "Managers", first_name="Sam", last_name="Second")


def later(**length: float) -> datetime:
    return timezone.now() + timedelta(**length)


def typed(when: datetime) -> str:
    return timezone.localtime(when).strftime("%Y-%m-%dT%H:%M")


def page(user: User) -> str:
    return unescape(logged_in(user).get(PAGE).content.decode())


def enter(user: User, **said: Any) -> Any:
    return logged_in(user).post(SET, {"since": "", "until": typed(later(days=3)), **said})


def test_a_manager_enters_it_and_sees_it(manager: User, second: User) -> None:
    assert enter(manager, substitute=second.pk).status_code == 302
    absence = Absence.objects.get()
    assert (absence.user, absence.substitute, absence.set_by_name) == (manager, second, "manager")
    shown = page(manager)
    assert "second" in shown
    assert reverse("approvals:end_absence", args=[absence.pk]) in shown
    assert "You answer in place of manager" in page(second)
    asked = make_approval()
    assert Approval.objects.inbox_of(second, timezone.now()).filter(pk=asked.pk).exists()


def test_it_is_reached_from_the_menu_of_those_who_decide(manager: User, operator: User) -> None:
    menu = logged_in(manager).get(reverse("taskboard:tasks")).content.decode()
    assert f'href="{PAGE}"' in menu
    assert f'href="{PAGE}"' not in logged_in(operator).get(reverse("taskboard:tasks")).content.decode()


def test_times_are_those_of_the_readers_zone(manager: User, second: User) -> None:
    Profile.objects.create(user=manager, time_zone="Asia/Seoul")
    enter(manager, substitute=second.pk, since="2099-09-10T09:00", until="2099-09-11T00:30")
    absence = Absence.objects.get()
    assert absence.since == datetime(2099, 9, 10, 0, 0, tzinfo=UTC)
    assert absence.until == datetime(2099, 9, 10, 15, 30, tzinfo=UTC)
    shown = page(manager)
    assert "Times in Asia/Seoul" in shown
    assert "11 Sep 2099, 00:30 KST" in shown


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"until": "2020-01-01T00:00"}, "Give a day on which you are back"),
        ({"until": "tomorrow"}, "Enter a valid date/time."),
        ({"until": ""}, "This field is required."),
        ({"substitute": ""}, "This field is required."),
        ({"substitute": "nobody"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_said_at_the_form(
    manager: User, second: User, said: dict[str, str], sentence: str
) -> None:
    refused = enter(manager, **{"substitute": second.pk, **said})
    assert refused.status_code == 422
    assert sentence in unescape(refused.content.decode())
    assert not Absence.objects.exists()


def test_only_those_who_decide_can_be_named(manager: User, operator: User, second: User) -> None:
    make_person("left", "Managers", is_active=False)
    shown = page(manager)
    assert "Sam Second (second)" in shown
    for name in ("ops", "left", "manager"):
        assert f">{name}</option>" not in shown
    assert enter(manager, substitute=operator.pk).status_code == 422
    assert enter(manager, substitute=manager.pk).status_code == 422


def test_several_stand_side_by_side_and_what_overlaps_gives_way(manager: User, second: User) -> None:
    third = make_person("third", "Managers")
    now = timezone.now()
    for substitute, since, until in ((second, 0, 3), (second, 10, 12), (third, 2, 5), (third, 9, 20)):
        delegation.go_away(
            manager, substitute, now + timedelta(days=until), now + timedelta(days=since), by=manager
        )
    rows = [
        (row.substitute, (row.since - now).days, round((row.until - now) / timedelta(days=1)))
        for row in Absence.objects.order_by("since")
    ]
    assert rows == [(second, 0, 2), (third, 2, 5), (third, 9, 20)]


def test_it_is_ended_early_and_stays_as_a_record(manager: User, second: User) -> None:
    absence = delegation.go_away(manager, second, later(days=3), by=manager)
    end = reverse("approvals:end_absence", args=[absence.pk])
    assert logged_in(second).post(end).status_code == 404
    assert logged_in(manager).get(end).status_code == 405
    assert logged_in(manager).post(end).status_code == 302
    absence.refresh_from_db()
    assert absence.until <= timezone.now()
    assert "Earlier absences" in page(manager)
    assert logged_in(manager).post(end).status_code == 404


def test_one_that_has_not_begun_never_happened(manager: User, second: User) -> None:
    absence = delegation.go_away(manager, second, later(days=3), later(days=1), by=manager)
    logged_in(manager).post(reverse("approvals:end_absence", args=[absence.pk]))
    assert not Absence.objects.exists()


def test_an_administrator_enters_it_for_somebody_who_is_ill_and_that_is_audited(
    manager: User, second: User, admin: User
) -> None:
    assert enter(admin, person=manager.pk, substitute=second.pk).status_code == 302
    absence = Absence.objects.get()
    assert (absence.user, absence.set_by_name) == (manager, "admin")
    assert "manager" in page(admin)
    logged_in(admin).post(reverse("approvals:end_absence", args=[absence.pk]))
    assert AuditEntry.objects.filter(action="absence", actor="admin", target="manager").count() == 2


def test_nobody_enters_it_for_others(manager: User, second: User) -> None:
    enter(manager, person=second.pk, substitute=second.pk)
    assert Absence.objects.get().user == manager


def test_who_may_not_decide_reads_that_nobody_has_to_stand_in(operator: User, outsider: User) -> None:
    assert "Nobody has to stand in for you" in page(operator)
    refused = logged_in(operator).post(SET, {"substitute": "1", "until": "2099-01-01T00:00"})
    assert refused.status_code in (403, 422)
    assert logged_in(outsider).get(PAGE).status_code == 403
