"""The mails that were sent in a test, and when the next ones are due."""

from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from django.conf import settings
from django.utils import timezone


def later(seconds: int = 61) -> datetime:
    return timezone.now() + timedelta(seconds=seconds)


def mails() -> list[EmailMessage]:
    found = sorted(Path(settings.EMAIL_FILE_PATH).glob("*.eml"))
    return [message_from_bytes(path.read_bytes(), policy=policy.default) for path in found]  # type: ignore[misc]


def body(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())
