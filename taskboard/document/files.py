"""Documents and journals as files: written whole or not at all, read within a limit."""

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

from taskboard import journal
from taskboard.document.export import stream
from taskboard.document.parse import refuse_large
from taskboard.errors import BadInput
from taskboard.models import Task
from taskboard.snapshot import snapshot


def read(path: Path) -> bytes:
    """The bytes of a document; raises BadInput when it is too large or cannot be read."""
    try:
        refuse_large(path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


def save(task: Task, path: Path) -> None:
    """Write the task's document; a reader of that path never sees half of it."""
    _write(path, stream(task))


def save_journal(task: Task, path: Path) -> None:
    """Write the task's journal as JSON Lines, in the same way."""
    _write(path, _journal_lines(task))


def _journal_lines(task: Task) -> Iterator[str]:
    with snapshot():
        for row in journal.stream(task):
            yield json.dumps(journal.as_json(row), ensure_ascii=False) + "\n"


def _write(path: Path, pieces: Iterable[str]) -> None:
    draft = path.with_name(f".{uuid.uuid4().hex}.part")
    if path.exists() and not path.is_file():
        raise BadInput(f"{path} is no ordinary file; name one that may be written.")
    try:
        with draft.open("x", encoding="utf-8") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Also the new name must survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
