"""The mail to the owner of a page."""

from pathlib import Path
from typing import Any

import pytest
from django.core import mail as django_mail

from taskboard import mail
from taskboard.models import Task
from taskboard.outcomes import Absent, CannotTell, Done, Found, NotSent, NotVerified, Skip, Verified
from taskboard.workflows.seo_audit import notices
from taskboard.workflows.seo_audit.diagnosis import diagnose
from tests.seo_audit.steps import Ctx, html, indexed, make_folder

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(tmp_path: Path) -> Task:
    author = '<meta name="author" content="maren@example.org">'
    pages = {"a.html": html("Evil\r\nBcc: all@example.org", head=author), "b\u00fc.html": html(body="")}
    return indexed(make_folder(tmp_path / "site", pages))


def notify_ctx(task: Task, path: str = "a.html") -> Ctx:
    ctx = Ctx(task, path, "notify")
    ctx.outputs["diagnose"] = diagnose(ctx).outputs
    ctx.outputs["create_ticket"] = {"ticket": "T-1"}
    return ctx


def test_a_mail_in_the_folder_is_found_and_verified(task: Task) -> None:
    ctx = notify_ctx(task)
    assert notices.find(None, ctx) == Absent()
    outcome = notices.send(ctx)
    assert isinstance(outcome, Done)
    assert outcome.outputs == {"to": "maren@example.org"}
    assert isinstance(notices.find(None, ctx), Found)
    assert isinstance(notices.verify(None, ctx, outcome), Verified)


def test_the_mail_says_what_is_wrong(task: Task) -> None:
    ctx = notify_ctx(task, "b\u00fc.html")
    notices.send(ctx)
    found = mail.find(notices.message_id(ctx))
    assert found is not None
    assert str(found["Subject"]) == "T-1: your page b\u00fc.html needs a look"
    text = found.get_payload(decode=True).decode()  # type: ignore[union-attr]
    assert "The page has no main heading" in text


def test_a_title_cannot_add_headers(task: Task) -> None:
    ctx = notify_ctx(task)
    ctx.outputs["create_ticket"] = {"ticket": "T-1\r\nBcc: all@example.org"}
    notices.send(ctx)
    found = mail.find(notices.message_id(ctx))
    assert found is not None
    assert found["Bcc"] is None


def test_a_page_without_an_owner_tells_nobody(task: Task) -> None:
    task.params["owner_mail"] = ""
    assert isinstance(notices.send(notify_ctx(task, "b\u00fc.html")), Skip)


def test_a_mail_server_cannot_be_asked(task: Task, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    ctx = notify_ctx(task)
    assert isinstance(notices.find(None, ctx), CannotTell)
    outcome = notices.send(ctx)
    assert isinstance(outcome, Done)
    assert django_mail.outbox[0].extra_headers["Message-ID"] == notices.message_id(ctx)
    assert "cannot be seen from here" in notices.verify(None, ctx, outcome).how  # type: ignore[union-attr]


def test_a_server_that_is_not_there_sent_nothing(task: Task, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    with pytest.raises(NotSent, match="cannot be used"):
        notices.send(notify_ctx(task))


def test_a_mail_is_named_by_its_reader_and_what_it_is_about(task: Task) -> None:
    ctx = notify_ctx(task)
    assert notices.effect_key(None, ctx).startswith("mail:maren@example.org:T-1:")
    task.params["owner_mail"] = ""
    assert notices.effect_key(None, notify_ctx(task, "b\u00fc.html")) == ""


def test_a_mail_of_an_earlier_audit_was_sent_though_its_file_is_gone(task: Task) -> None:
    ctx = notify_ctx(task)
    ctx.adopted = True
    assert isinstance(notices.verify(None, ctx, Done()), Verified)


def test_a_lost_mail_is_not_verified(task: Task) -> None:
    assert isinstance(notices.verify(None, notify_ctx(task), Done()), NotVerified)
