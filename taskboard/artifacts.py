"""Where results are kept: files in the product's own storage, or links to elsewhere."""

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from django.core.exceptions import SuspiciousFileOperation
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound
from taskboard.models import Artifact, Item, Task
from taskboard.outcomes import NewArtifact
from taskboard.redaction import redact_bytes


class Readable(Protocol):
    """Anything with bytes to read."""

    def read(self, size: int, /) -> bytes: ...


CHUNK = 1024 * 1024
LONGEST_NAME = 250
GONE = "The file of this artifact is gone from the storage."


def storage() -> Storage:
    """The storage of results; all files of a task lie in a folder of its id, under a folder per kind."""
    return storages["artifacts"]


def folder(public_id: str) -> str:
    """A task's id as the name of a folder: ids from imported documents may hold anything."""
    name = quote(public_id, safe="")
    return "%2E" + name[1:] if name.startswith(".") else name


def store(task: Task, new: NewArtifact, *, item: Item | None = None, step: str = "") -> Artifact:
    """Write the file, if there is one, and return the row to `add`. The place follows from the content, so a
    retry that produces the same again leaves one file."""
    name = clean_text(new.name, LONGEST_NAME).strip()
    _check(name, new)
    row = Artifact(task=task, item=item, step=step, name=name, media_type=_media_type(new))
    if new.url:
        row.place = clean_text(new.url, 2000)
        return row
    with _opened(new) as file:
        row.sha256, row.size = digest(file)
        row.managed, row.place = True, f"results/{folder(task.public_id)}/{row.sha256[:16]}-{_safe(name)}"
        file.seek(0)
        storage().save(row.place, file)
    return row


def add(change: Change, new: Sequence[Artifact]) -> None:
    """Save the rows under the task's lock, each as the next version of its name; what is the same as the
    version before is not added again."""
    if not new:
        return
    newest = _newest(change.task, {row.name for row in new})
    fresh = []
    for row in new:
        before = newest.get(row.name)
        if before is None or (before.place, before.sha256) != (row.place, row.sha256):
            row.version, row.created_at = (before.version + 1 if before else 1), change.now
            newest[row.name] = row
            fresh.append(row)
    Artifact.objects.bulk_create(fresh)


def open_file(artifact: Artifact) -> "File[Any]":
    """The content of a managed artifact; raises NotFound with a sentence."""
    if not artifact.managed:
        raise NotFound("This artifact is a link; its content is kept elsewhere.")
    try:
        return storage().open(artifact.place, "rb")
    except (FileNotFoundError, IsADirectoryError, SuspiciousFileOperation) as error:
        raise NotFound(GONE) from error


def digest(file: Readable) -> tuple[str, int]:
    """SHA-256 and size of what is left to read, in constant memory."""
    sha256, size = hashlib.sha256(), 0
    while chunk := file.read(CHUNK):
        sha256.update(chunk)
        size += len(chunk)
    return sha256.hexdigest(), size


def files(public_id: str) -> Iterator[tuple[str, int]]:
    """Name and size of every file that is kept for a task, of whatever kind."""
    for kind in _listed("")[0]:
        yield from _walk(f"{kind}/{folder(public_id)}")


def remove(public_id: str) -> None:
    """Delete every file that is kept for a task, and its folders where there are such things."""
    for kind in _listed("")[0]:
        _remove(f"{kind}/{folder(public_id)}")


def _remove(path: str) -> None:
    folders, names = _listed(path)
    for name in names:
        storage().delete(f"{path}/{name}")
    for name in folders:
        _remove(f"{path}/{name}")
    if folders or names:
        storage().delete(path)


def _walk(path: str) -> Iterator[tuple[str, int]]:
    folders, names = _listed(path)
    for name in names:
        yield f"{path}/{name}", storage().size(f"{path}/{name}")
    for name in folders:
        yield from _walk(f"{path}/{name}")


def _listed(path: str) -> tuple[list[str], list[str]]:
    try:
        return storage().listdir(path)
    except (FileNotFoundError, NotADirectoryError):
        return [], []


def _newest(task: Task, names: set[str]) -> dict[str, Artifact]:
    rows = Artifact.objects.filter(task=task, name__in=names).order_by("version")
    return {row.name: row for row in rows}


def _check(name: str, new: NewArtifact) -> None:
    if not name:
        raise BadInput("An artifact needs a name.", "artifact")
    if sum((bool(new.url), new.content is not None, new.path is not None)) != 1:
        raise BadInput("An artifact has either content, a path to a file, or a URL.", f"artifact {name}")


def _opened(new: NewArtifact) -> "File[Any]":
    if new.content is not None:
        return ContentFile(redact_bytes(new.content))
    return File(Path(str(new.path)).open("rb"))


def _media_type(new: NewArtifact) -> str:
    return (clean_text(new.media_type, 100) or mimetypes.guess_type(new.name)[0] or "")[:100]


def _safe(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[-80:] or "file"
