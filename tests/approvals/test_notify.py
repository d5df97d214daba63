"""People are told of questions by mail: once, together, and never of what is decided."""

from collections.abc import Iterator
from datetime import datetime
from smtplib import SMTPRecipientsRefused
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval, Notice, NoticePreference, Vote
from approvals.models.notice import NoticeKind
from approvals.telling import mailing, recipients, sweep
from taskboard.models import Profile
from taskboard.outcomes import Policy
from tests.approvals.letterbox import body, later, mails
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db
O = Notice.Outcome  # noqa: E741


@pytest.fixture(autouse=True)
def _mail_server_is_up() -> Iterator[None]:
    yield
    cache.clear()


def tell() -> int:
    """Two sweeps and a job, as it goes on for ever."""
    sweep.look(timezone.now())
    sweep.look(timezone.now())
    return mailing.send(later())


def approve(asked: Approval, who: User) -> None:
    decisions.decide(asked.pk, who, "approve", "", asked.payload_sha256)


def test_everybody_who_may_answer_gets_one_mail(manager: User, operator: User) -> None:
    second = make_person("second", "Managers")
    asked = make_approval()
    assert tell() == 2
    assert sorted(str(mail["To"]) for mail in mails()) == [manager.email, second.email]
    for mail in mails():
        assert str(mail["Subject"]) == f"[Taskboard] Waits for you: {asked.action}"
        link = f"{settings.TASKBOARD_BASE_URL}{asked.get_absolute_url()}"
        assert link in body(mail)
        assert f'href="{link}"' in body(mail, "html")


def test_it_is_told_once_however_often_the_workers_look(manager: User) -> None:
    make_approval()
    for _ in range(4):
        tell()
    assert len(mails()) == 1
    assert Notice.objects.count() == 1


def test_a_burst_is_one_mail(manager: User) -> None:
    task = make_asking_step().task
    for _ in range(50):
        make_approval(make_asking_step(task))
    assert tell() == 1
    (mail,) = mails()
    assert "50 questions wait for you" in str(mail["Subject"])
    assert "30 more questions are in your inbox" in body(mail)


def test_it_waits_for_others_to_join(manager: User) -> None:
    make_approval()
    sweep.look(timezone.now())
    assert mailing.send(timezone.now()) == 0
    assert mailing.send(later()) == 1


def test_nothing_is_sent_about_what_is_decided_meanwhile(manager: User) -> None:
    first, second = make_approval(), make_approval(make_asking_step())
    sweep.look(timezone.now())
    approve(first, make_person("quick", "Managers"))
    mailing.send(later())
    told = body(mails()[0])
    assert first.get_absolute_url() not in told
    assert second.get_absolute_url() in told
    assert Notice.objects.get(user=manager, approval=first).outcome == O.NEEDLESS
    approve(second, manager)
    assert tell() == 0


def test_whoever_may_not_answer_is_not_told(manager: User) -> None:
    make_approval(created_by=manager)
    make_person("gone", "Managers", is_active=False)
    assert tell() == 0


def test_who_lost_the_right_before_the_mail_goes_out_is_not_told(manager: User) -> None:
    make_approval()
    sweep.look(timezone.now())
    manager.groups.clear()
    assert mailing.send(later()) == 0


def test_who_has_no_address_or_wants_no_more_of_it_gets_no_mail(manager: User) -> None:
    make_person("unreachable", "Managers", email="")
    asked = make_approval()
    sweep.look(timezone.now())
    assert Notice.objects.get(user__username="unreachable").outcome == O.UNWANTED
    recipients.choose(manager, [])
    assert mailing.send(later()) == 0
    assert Notice.objects.get(user=manager, approval=asked).outcome == O.NEEDLESS


def test_a_kind_that_is_not_wanted_is_not_sent(manager: User) -> None:
    recipients.choose(manager, [NoticeKind.REMINDER])
    asked = make_approval()
    assert tell() == 0
    assert recipients.remind(asked, 50) == 1
    recipients.remind(asked, 50)
    assert Notice.objects.filter(kind="reminder").count() == 1
    assert mailing.send(later()) == 1
    assert "Time runs out" in str(mails()[0]["Subject"])


def test_each_share_of_the_time_reminds_once(manager: User) -> None:
    asked = make_approval()
    for share in (50, 50, 90):
        recipients.remind(asked, share)
    assert sorted(Notice.objects.values_list("share", flat=True)) == [50, 90]


def test_the_starter_hears_of_the_answer_only_if_they_want_to(manager: User, operator: User) -> None:
    asked = make_approval(created_by=operator)
    recipients.choose(manager, [])
    approve(asked, manager)
    assert tell() == 0
    recipients.choose(operator, [NoticeKind.DECIDED])
    assert tell() == 1
    assert "Approved by manager" in body(mails()[0])


def test_the_starter_hears_of_no_answer_that_can_be_taken_back_or_is_their_own(
    manager: User, operator: User
) -> None:
    for person in (manager, operator):
        recipients.choose(person, [NoticeKind.DECIDED])
    asked = make_approval(created_by=operator)
    own = make_approval(created_by=manager, policy=Policy(starter_may_decide=True))
    approve(own, manager)
    decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, undo_seconds=60)
    assert recipients.collect(timezone.now()) == 0
    assert recipients.collect(later()) == 1
    assert Notice.objects.get(kind="decided").user == operator


def test_a_starter_who_was_switched_off_meanwhile_gets_no_mail(manager: User, operator: User) -> None:
    recipients.choose(operator, [NoticeKind.DECIDED])
    recipients.choose(manager, [])
    approve(make_approval(created_by=operator), manager)
    sweep.look(timezone.now())
    User.objects.filter(pk=operator.pk).update(is_active=False)
    assert mailing.send(later()) == 0


def test_a_worker_that_died_while_sending_sends_the_same_mail_again(manager: User) -> None:
    make_approval()
    sweep.look(timezone.now())
    with (
        patch("approvals.telling.mailing._settle", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        mailing.send(later())
    make_approval(make_asking_step())
    sweep.look(timezone.now())
    assert mailing.send(later(90)) == 0
    assert mailing.send(later(400)) == 1
    assert mailing.send(later(400)) == 1
    assert len(mails()) == 2


def test_a_mail_server_that_is_down_is_tried_again_later(manager: User) -> None:
    make_approval()
    sweep.look(timezone.now())
    with patch("taskboard.mail.FileBackend.send_messages", side_effect=ConnectionRefusedError):
        assert mailing.send(later()) == 0
    assert mailing.send(later(70)) == 0
    assert mailing.send(later(200)) == 1


def test_a_refused_address_is_not_tried_for_ever(manager: User) -> None:
    make_approval()
    with patch("taskboard.mail.FileBackend.send_messages", side_effect=SMTPRecipientsRefused({})):
        assert tell() == 0
    assert Notice.objects.get().outcome == O.REFUSED


def test_what_cannot_be_seen_is_spelled_out_and_no_text_becomes_a_header(manager: User) -> None:
    make_approval(action="rm \u202egnp.elif\nBcc: evil@example.org", consequence="<b>x</b>" + "y" * 700)
    tell()
    (mail,) = mails()
    assert mail["Bcc"] is None
    assert "[U+202E]" in body(mail)
    assert "(+108 characters)" in body(mail)
    assert "<b>" not in body(mail, "html")


def test_it_speaks_the_language_and_tells_the_zone_of_its_reader(manager: User) -> None:
    Profile.objects.create(user=manager, time_zone="Asia/Seoul")
    asked = make_approval()
    Approval.objects.filter(pk=asked.pk).update(
        expires_at=datetime.fromisoformat("2099-09-10T15:30:00+00:00")
    )
    tell()
    assert "11 Sep 2099, 00:30 KST" in body(mails()[0])


def test_no_link_of_the_mail_decides(manager: User, client: Any) -> None:
    asked = make_approval()
    tell()
    words = (body(mails()[0]) + body(mails()[0], "html").replace('"', " ")).split()
    links = {word.removeprefix(settings.TASKBOARD_BASE_URL) for word in words if word.startswith("http")}
    assert asked.get_absolute_url() in links
    for visitor in (client, logged_in(manager)):
        for link in links:
            for method in ("get", "head", "options"):
                getattr(visitor, method)(link, headers={"Purpose": "prefetch"})
    asked.refresh_from_db()
    assert (asked.status, Vote.objects.count()) == ("open", 0)
    assert 'name="outcome"' in logged_in(manager).get(asked.get_absolute_url()).content.decode()


def test_the_profile_page_keeps_what_a_person_chooses(manager: User) -> None:
    client = logged_in(manager)
    page = client.get(reverse("taskboard:profile")).content.decode()
    assert page.count(" checked>") >= 2
    assert client.get(reverse("approvals:choose_mails")).status_code == 405
    client.post(reverse("approvals:choose_mails"), {"kind": ["decided", "nonsense"]})
    assert recipients.wanted(manager) == {"decided"}
    assert NoticePreference.objects.count() == len(NoticeKind)
