"""Reminders at their share of the time, each once, and none for what is answered."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User

from approvals.models import Approval, Event, Notice, Reminder
from approvals.telling import reminders
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Policy, Stage
from tests.approvals.answers import answer
from tests.factories import make_approval


def at(asked: Approval, share: float) -> datetime:
    assert asked.visible_at
    assert asked.expires_at
    return asked.visible_at + (asked.expires_at - asked.visible_at) * share


def test_they_are_planned_at_half_and_nine_tenths_of_the_time(manager: User) -> None:
    asked = make_approval(policy=Policy(window=timedelta(hours=10)))
    assert list(Reminder.objects.values_list("share", "due_at")) == [
        (50, at(asked, 0.5)),
        (90, at(asked, 0.9)),
    ]


def test_each_is_sent_once(manager: User) -> None:
    asked = make_approval()
    assert reminders.send(at(asked, 0.4)) == 0
    assert reminders.send(at(asked, 0.6)) == 1
    assert reminders.send(at(asked, 0.6)) == 0
    assert reminders.send(at(asked, 0.95)) == 1
    assert list(Notice.objects.filter(kind="reminder").values_list("share", flat=True)) == [50, 90]
    assert Event.objects.filter(approval=asked, what=Event.What.REMINDED).count() == 2
    assert Checkpoint.objects.filter(task=asked.task, kind=Kind.NOTE, data__did="remind").count() == 2


def test_the_sweep_sends_them(manager: User) -> None:
    asked = make_approval()
    gate().tell(at(asked, 0.6))
    assert Reminder.objects.filter(sent_at=None).count() == 1


def test_what_is_answered_or_overdue_is_let_be(manager: User) -> None:
    answered, overdue = make_approval(), make_approval()
    answer(answered, manager)
    assert reminders.send(at(overdue, 1.1)) == 0


def test_the_next_group_has_reminders_of_its_own(manager: User) -> None:
    asked = make_approval(policy=Policy(then=(Stage("Administrators"),)))
    reminders.send(at(asked, 0.6))
    answer(asked, manager)
    planned = Reminder.objects.filter(approval=asked, sent_at=None)
    asked.refresh_from_db()
    assert [row.due_at for row in planned] == [at(asked, 0.5), at(asked, 0.9)]


@pytest.mark.parametrize(("said", "kept"), [((), []), ((0, 50, 50, 100, 300, -5), [50])])
def test_a_policy_says_when(manager: User, said: tuple[int, ...], kept: list[int]) -> None:
    make_approval(policy=Policy(remind_at=said))
    assert list(Reminder.objects.values_list("share", flat=True)) == kept


def test_all_are_sent_however_many_there_are(manager: User) -> None:
    asked = [make_approval() for _ in range(5)]
    assert reminders.send(at(asked[0], 0.6), batch=2) == 5
