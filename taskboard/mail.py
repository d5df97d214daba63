"""Mail as files: a whole mail or none, named by its Message-ID, so that it can be looked up by it."""

import os
import re
import uuid
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import Message
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class FileBackend(BaseEmailBackend):
    """Writes each mail under a hidden name, then renames it; a mail sent again replaces itself."""

    def __init__(self, file_path: str | None = None, fail_silently: bool = False, **kwargs: Any) -> None:
        super().__init__(fail_silently=fail_silently, **kwargs)
        self.folder = Path(file_path or settings.EMAIL_FILE_PATH)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        for mail in email_messages:
            self._write(mail.message())
        return len(email_messages)

    def _write(self, message: Message) -> None:
        draft = self.folder / f".{uuid.uuid4().hex}"
        with draft.open("wb") as file:
            file.write(message.as_bytes())
            file.flush()
            os.fsync(file.fileno())
        draft.rename(self.folder / _file_name(str(message["Message-ID"])))


def find(message_id: str, folder: Path | None = None) -> Message | None:
    """The mail with this Message-ID, if it has been sent."""
    path = (folder or Path(settings.EMAIL_FILE_PATH)) / _file_name(message_id)
    return message_from_bytes(path.read_bytes(), policy=policy.default) if path.exists() else None


def _file_name(message_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9@._-]", "_", message_id.strip().strip("<>")).lstrip(".") + ".eml"
