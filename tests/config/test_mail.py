"""Mail as files: whole, named by Message-ID, found again."""

from pathlib import Path
from typing import Any

from django.core.mail import EmailMessage

from taskboard import mail


def message(key: str, body: str = "200 pages were read.") -> EmailMessage:
    return EmailMessage(
        "Done: Größe", body, to=["ops@example.org"], headers={"Message-ID": f"<{key}@taskboard>"}
    )


def test_a_mail_is_found_by_its_message_id() -> None:
    assert message("a1b2").send() == 1
    found = mail.find("<a1b2@taskboard>")
    assert found is not None
    assert found["Subject"] == "Done: Größe"


def test_an_unknown_message_id_finds_nothing() -> None:
    assert mail.find("<never@taskboard>") is None


def test_a_mail_sent_again_replaces_itself(settings: Any) -> None:
    message("same").send()
    message("same").send()
    assert len(list(Path(settings.EMAIL_FILE_PATH).iterdir())) == 1


def test_a_message_id_cannot_leave_the_folder(settings: Any) -> None:
    message("../../etc/passwd").send()
    assert [path.parent for path in Path(settings.EMAIL_FILE_PATH).rglob("*")] == [
        Path(settings.EMAIL_FILE_PATH)
    ]
