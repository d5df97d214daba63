"""The files of an audit in Django's storage: originals of pages from the web, and the working copy."""

import os
import uuid
from pathlib import Path

from django.core.exceptions import SuspiciousOperation
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.names import storage_name
from taskboard.workflows.seo_audit.sources import open_source


def keep_original(task_id: str, path: str, body: bytes) -> None:
    """Keep what the server sent; the web may say something else tomorrow."""
    write(f"sites/{task_id}/original/{storage_name(path)}", body)


def original(task_id: str, source: str, page: SitePage) -> bytes:
    """The page as it was read; raises Unreadable."""
    opened = open_source(source) if "://" not in page.url else None
    if opened is not None:
        return opened.read(page.url).body
    kept = read(f"sites/{task_id}/original/{storage_name(page.path)}")
    if kept is None:
        raise Unreadable("the copy of the page that was kept is gone")
    return kept


def changed_name(task_id: str, path: str) -> str:
    """The place of a page in the working copy."""
    return f"sites/{task_id}/changed/{storage_name(path)}"


def read(name: str) -> bytes | None:
    """The content of a file; None if there is none."""
    try:
        with _storage().open(name, "rb") as file:
            return bytes(file.read())
    except FileNotFoundError:
        return None


def write(name: str, body: bytes) -> None:
    """Put a file there, whole or not at all; what was there before is replaced."""
    storage = _storage()
    try:
        target = Path(storage.path(name))
    except NotImplementedError:
        storage.delete(name)
        storage.save(name, ContentFile(body))
    except SuspiciousOperation as error:
        raise OSError(str(error)) from error
    else:
        _replace(target, body)


def remove(name: str) -> None:
    """Take a file away, if it is there."""
    _storage().delete(name)


def _replace(target: Path, body: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{uuid.uuid4().hex}")
    with draft.open("wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)


def _storage() -> Storage:
    return storages["artifacts" if "artifacts" in storages.backends else "default"]
