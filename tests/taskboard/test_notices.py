"""The starter gets one mail per turn, which says what happened and where to look."""

from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage

from taskboard import lifecycle, notices
from taskboard.mail import find
from taskboard.models import Checkpoint, ItemStatus, Kind, Profile, Task, TaskStatus
from tests.factories import make_item, make_task

pytestmark = pytest.mark.django_db
T = TaskStatus


@pytest.fixture(autouse=True)
def _mail_server_is_up() -> Iterator[None]:
    yield
    cache.clear()


def turn(person: Any, to: TaskStatus, *, out_of_budget: bool = False, **over: Any) -> Task:
    """A task of that person that has just turned."""
    task = make_task(created_by=person, limit_micro=20_000_000, spent_micro=7_350_000, **over)
    make_item(task, status=ItemStatus.DONE)
    with lifecycle.changing(task.pk, "worker") as change:
        change.set(out_of_budget=out_of_budget)
        lifecycle.move_task(change, to)
        change.touched = False
    task.refresh_from_db()
    return task


def mails() -> list[Path]:
    return sorted(Path(settings.EMAIL_FILE_PATH).glob("*.eml"))


def mail_of(task: Task) -> Message:
    ordinal = Checkpoint.objects.filter(task=task, kind=Kind.STATUS).latest("ordinal").ordinal
    message = find(notices.message_id(task, notices.Turn(task.status, ordinal)))
    assert message is not None
    return message


def text_of(message: Message) -> str:
    return bytes(message.get_payload(decode=True)).decode()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("to", "out_of_budget", "subject", "sentence"),
    [
        (T.COMPLETED, False, "Completed", "every item is settled"),
        (T.FAILED, False, "Failed", "has failed"),
        (T.BLOCKED, False, "Blocked", "need a person"),
        (T.BLOCKED, True, "Out of budget", "out of budget"),
    ],
)
def test_each_turn_is_told(
    operator: Any, to: TaskStatus, out_of_budget: bool, subject: str, sentence: str
) -> None:
    task = turn(operator, to, out_of_budget=out_of_budget)
    assert notices.tell_starters() == 1
    message = mail_of(task)
    assert (message["To"], message["Subject"]) == ("ops@example.org", f"[Taskboard] {subject}: {task.goal}")
    text = text_of(message)
    assert sentence in text
    assert f"{settings.TASKBOARD_BASE_URL}/tasks/{task.public_id}/" in text
    assert "$7.35 / $20.00" in text


def test_it_is_told_once_and_the_journal_says_so(operator: Any) -> None:
    task = turn(operator, T.COMPLETED)
    assert [notices.tell_starters(), notices.tell_starters()] == [1, 0]
    assert len(mails()) == 1
    noted = Checkpoint.objects.get(task=task, kind=Kind.NOTE)
    assert (noted.data["mail"], noted.data["to"], noted.data["turn"]) == ("sent", "ops", "completed")


def test_a_mail_that_went_out_before_a_crash_replaces_itself(operator: Any) -> None:
    task = turn(operator, T.COMPLETED)
    notices.tell_starters()
    Task.objects.filter(pk=task.pk).update(untold=task.untold)
    notices.tell_starters()
    assert len(mails()) == 1


def test_a_turn_that_is_over_is_not_told(operator: Any) -> None:
    task = turn(operator, T.BLOCKED)
    with lifecycle.changing(task.pk, "ops") as change:
        lifecycle.move_task(change, T.RUNNING)
        change.touched = False
    assert notices.tell_starters() == 0
    assert (Task.objects.get().untold, mails()) == ("", [])


def test_a_turn_during_the_sending_is_told_in_its_turn(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = turn(operator, T.BLOCKED)
    send = EmailMessage.send

    def turning(self: EmailMessage, *arguments: Any) -> int:
        with lifecycle.changing(task.pk, "ops") as change:
            lifecycle.move_task(change, T.RUNNING)
            lifecycle.move_task(change, T.BLOCKED)
            change.touched = False
        return send(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(EmailMessage, "send", turning)
        assert notices.tell_starters() == 1
    assert Task.objects.get().untold == "blocked"
    assert notices.tell_starters() == 1
    assert len(mails()) == 2


@pytest.mark.parametrize("person", [{"email": ""}, {"is_active": False}])
def test_nobody_to_tell_is_no_fault(operator: Any, person: dict[str, Any]) -> None:
    type(operator).objects.filter(pk=operator.pk).update(**person)
    turn(operator, T.COMPLETED)
    assert notices.tell_starters() == 0
    assert (Task.objects.get().untold, mails()) == ("", [])


def test_it_speaks_the_language_of_the_starter(operator: Any) -> None:
    Profile.objects.create(user=operator, language="zh-hans", time_zone="Asia/Shanghai")
    task = turn(operator, T.COMPLETED)
    notices.tell_starters()
    assert mail_of(task)["Subject"].startswith("[Taskboard] ")


def test_no_goal_becomes_a_header(operator: Any) -> None:
    task = turn(operator, T.COMPLETED, goal="Audit\r\nBcc: all@example.org\u202e " + "x" * 200)
    notices.tell_starters()
    message = mail_of(task)
    assert message["Bcc"] is None
    assert message["Subject"].startswith("[Taskboard] Completed: Audit Bcc: all@example.org xxx")


def test_a_mail_server_that_is_down_is_left_alone_for_a_minute(
    operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn(operator, T.COMPLETED)
    turn(operator, T.COMPLETED)
    tries = []

    def down(self: EmailMessage) -> int:
        tries.append(self)
        raise ConnectionRefusedError("connection refused")

    with monkeypatch.context() as patch:
        patch.setattr(EmailMessage, "send", down)
        assert [notices.tell_starters(), notices.tell_starters()] == [0, 0]
    assert len(tries) == 1
    cache.clear()
    assert notices.tell_starters() == 2


def test_an_address_that_is_refused_does_not_hold_up_the_others(
    operator: Any, manager: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = turn(operator, T.COMPLETED)
    turn(manager, T.COMPLETED)
    send = EmailMessage.send

    def picky(self: EmailMessage, *arguments: Any) -> int:
        if self.to == ["ops@example.org"]:
            raise SMTPRecipientsRefused({"ops@example.org": (550, b"no such user")})
        return send(self, *arguments)

    monkeypatch.setattr(EmailMessage, "send", picky)
    assert notices.tell_starters() == 1
    assert not Task.objects.exclude(untold="").exists()
    assert Checkpoint.objects.get(task=refused, kind=Kind.NOTE).data["mail"] == "refused"
