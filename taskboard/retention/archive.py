"""The archive of a task: state document and journal in one compressed file, proven before it is trusted."""

import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.utils.translation import gettext as _

from taskboard import document, journal
from taskboard.artifacts import digest, folder
from taskboard.errors import NotFound, TaskboardError
from taskboard.models import PurgeRecord, Task

VERSION = 1
PIECES = 500
BEGINS = b'"journal": ['
"""The line behind which the journal stands, a row per line."""


class ArchiveBroken(TaskboardError):
    """What was read back is not what was written."""


@dataclass(frozen=True)
class Archive:
    """Where it is kept, and the SHA-256 of the file as it is kept."""

    name: str
    sha256: str


def storage() -> Storage:
    """The storage of archives: a folder, unless Django is given another."""
    return storages["archives"]


def write(task: Task) -> Archive:
    """Write the archive whole or not at all, read it back and compare; raises ArchiveBroken."""
    var = Path(settings.TASKBOARD_VAR)
    var.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=var) as draft:
        plain = _compress(task, draft)
        draft.seek(0)
        sha256, _size = digest(draft)
        draft.seek(0)
        name = storage().save(f"{folder(task.public_id)}-{sha256[:12]}.json.gz", File(draft))
    archive = Archive(name, sha256)
    _prove(archive, plain)
    return archive


def _prove(archive: Archive, plain_sha256: str) -> None:
    """Read it back: the file must have its digest, and unpack to the text that went in."""
    with storage().open(archive.name, "rb") as file:
        whole = digest(file)[0] == archive.sha256
        file.seek(0)
        with gzip.GzipFile(fileobj=file, mode="rb") as unpacked:
            whole = whole and digest(unpacked)[0] == plain_sha256
    if not whole:
        told = _("The archive %(name)s does not read back as it was written; nothing was deleted.")
        raise ArchiveBroken(told % {"name": archive.name})


def open_file(record: PurgeRecord) -> File[Any]:
    """The archive of a purge; raises NotFound with a sentence."""
    try:
        return storage().open(record.archive, "rb")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise NotFound(_("The archive of this task is gone from the storage.")) from error


def _compress(task: Task, draft: IO[bytes]) -> str:
    """Compress into the draft; returns the SHA-256 of the plain text. The same task gives the same bytes."""
    sha256 = hashlib.sha256()
    with gzip.GzipFile(filename="", fileobj=draft, mode="wb", compresslevel=6, mtime=0) as packed:
        for piece in _joined(_text(task)):
            packed.write(piece)
            sha256.update(piece)
    return sha256.hexdigest()


def _joined(pieces: Iterable[str]) -> Iterator[bytes]:
    """Many small pieces as a few larger ones."""
    waiting: list[str] = []
    for piece in pieces:
        waiting.append(piece)
        if len(waiting) >= PIECES:
            yield "".join(waiting).encode()
            waiting = []
    yield "".join(waiting).encode()


def _text(task: Task) -> Iterator[str]:
    yield f'{{"archive": {VERSION},\n"state": '
    yield from document.stream(task)
    yield f",\n{BEGINS.decode()}"
    between = "\n"
    for row in journal.stream(task):
        yield between + json.dumps(journal.as_json(row), ensure_ascii=False)
        between = ",\n"
    yield "\n]}\n"
