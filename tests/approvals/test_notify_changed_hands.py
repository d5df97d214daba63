"""Whoever a question is passed on to hears of it, and whoever stands in for somebody."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from approvals import delegation, routing
from approvals.models import Approval, Notice
from approvals.models.notice import NoticeKind
from approvals.telling import mailing, recipients, sweep
from tests.approvals.answers import answer
from tests.approvals.letterbox import body, later, mails
from tests.conftest import make_person
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db


@pytest.fixture
def second(manager: User) -> Any:
    return make_person("second", "Managers")


def days(number: float) -> datetime:
    return timezone.now() + timedelta(days=number)


def told(user: User) -> list[tuple[int, str]]:
    return list(Notice.objects.filter(user=user).order_by("pk").values_list("approval", "kind"))


def look() -> int:
    return sweep.look(timezone.now())


def test_the_person_it_was_passed_on_to_gets_a_mail_of_it(manager: User, second: User) -> None:
    asked = make_approval()
    look()
    mailing.send(later())
    routing.pass_on_to_person(asked.pk, manager, second, "She knows this customer")
    look()
    assert look() == 0
    assert mailing.send(later()) == 1
    passed = [mail for mail in mails() if "Passed on to you" in body(mail)]
    assert [str(mail["To"]) for mail in passed] == [second.email]
    assert asked.get_absolute_url() in body(passed[0])
    assert told(second) == [(asked.pk, "asked"), (asked.pk, "passed")]
    assert told(manager) == [(asked.pk, "asked")]


def test_the_stand_in_of_that_person_gets_it_too(manager: User, second: User, admin: User) -> None:
    delegation.go_away(second, admin, days(3), by=second)
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    look()
    assert told(admin) == [(asked.pk, "passed")]


def test_who_stands_in_from_now_on_hears_of_what_waits_already(manager: User, admin: User) -> None:
    waiting, answered = make_approval(), make_approval(make_asking_step())
    look()
    answer(answered, manager)
    assert told(admin) == []
    delegation.go_away(manager, admin, days(3), by=manager)
    assert look() == 1
    assert look() == 0
    assert told(admin) == [(waiting.pk, "asked")]
    later_on = make_approval(make_asking_step())
    look()
    assert told(admin) == [(waiting.pk, "asked"), (later_on.pk, "asked")]


def test_who_stands_in_for_somebody_who_was_switched_off_is_not_asked(
    manager: User, second: User, admin: User
) -> None:
    delegation.go_away(second, admin, days(3), by=second)
    User.objects.filter(pk=second.pk).update(is_active=False)
    make_approval()
    look()
    assert len(told(manager)) == 1
    assert told(admin) == []


def test_an_absence_that_has_not_begun_tells_nobody(manager: User, admin: User) -> None:
    make_approval()
    delegation.go_away(manager, admin, days(3), days(1), by=manager)
    look()
    assert told(admin) == []


def test_a_substitute_hears_nothing_of_what_they_may_not_answer(manager: User, admin: User) -> None:
    make_approval(created_by=admin)
    delegation.go_away(manager, admin, days(3), by=manager)
    look()
    assert Notice.objects.filter(user=admin).exclude(outcome="needless").count() == 0


def test_who_does_not_want_it_gets_none(manager: User, second: User) -> None:
    recipients.choose(second, [NoticeKind.ASKED])
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    look()
    assert mailing.send(later()) == 0
    assert Notice.objects.get(user=second).outcome == "unwanted"


def test_reminders_go_to_whoever_has_it_now(manager: User, second: User) -> None:
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    asked.refresh_from_db()
    recipients.remind(Approval.objects.get(pk=asked.pk), 50)
    assert set(Notice.objects.filter(kind="reminder").values_list("user", flat=True)) == {second.pk}
