"""An archive read back to be looked at: the document and every row of the journal, as a task that never runs."""

import gzip
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import document, journal
from taskboard.artifacts import digest
from taskboard.change import Change
from taskboard.document.parse import LARGEST, parse
from taskboard.errors import BadInput
from taskboard.models import Kind, PurgeRecord, Task
from taskboard.retention.archive import BEGINS, VERSION

MAGIC = b"\x1f\x8b"
SHOWN_FOR = timedelta(days=7)
LONGEST_ROW = 2 * 1024 * 1024
AT_ONCE = 500
LENGTHS = {"item": 200, "step": 100, "actor": 150}
MOST_ATTEMPTS = 2**31
BROKEN = (OSError, EOFError, zlib.error)


def is_archive(path: Path) -> bool:
    """Whether it begins as a compressed file does."""
    try:
        with path.open("rb") as file:
            return file.read(2) == MAGIC
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error


def load(path: Path, actor: str) -> Task:
    """Store the archive's task, or nothing. It can be looked at for a week; nothing of it can be changed.
    Raises BadInput with what is wrong with the file."""
    now = timezone.now()
    with path.open("rb") as file, gzip.GzipFile(fileobj=file, mode="rb") as unpacked, transaction.atomic():
        try:
            state = _state(unpacked)
            task = document.load(state, actor, lambda change: _append(change, unpacked))
        except BROKEN as error:
            raise BadInput(_("This archive is damaged: it cannot be unpacked to its end.")) from error
        if not task.is_finished:
            raise BadInput(_("This archive holds a task that is not finished; only purges write archives."))
        shown = {"archived": True, "keep_for": SHOWN_FOR, "expires_at": now + SHOWN_FOR, "on_hold": False}
        Task.objects.filter(pk=task.pk).update(**shown)
    task.refresh_from_db()
    return task


def is_as_recorded(path: Path, public_id: str) -> bool | None:
    """Whether it is the very file that a purge here wrote of that task; None if none of it is recorded."""
    sums = set(PurgeRecord.objects.filter(public_id=public_id).values_list("archive_sha256", flat=True)) - {
        ""
    }
    with path.open("rb") as file:
        return digest(file)[0] in sums if sums else None


def _state(unpacked: gzip.GzipFile) -> bytes:
    """The document: everything before the journal."""
    first = unpacked.readline(LONGEST_ROW)
    if first.strip() != f'{{"archive": {VERSION},'.encode():
        raise BadInput(_("This is no archive of a task, or one of a newer version of Taskboard."))
    pieces: list[bytes] = []
    size = 0
    while (line := unpacked.readline(LARGEST)).rstrip(b"\n") != BEGINS:
        size += len(line)
        if not line or size > LARGEST:
            told = _("The document in this archive has more than %d bytes; unpack it to look at it.")
            raise BadInput(told % LARGEST if line else _("This archive has no journal: it is not whole."))
        pieces.append(line)
    return b"".join(pieces).strip().removeprefix(b'"state":').rstrip(b",")


def _append(change: Change, unpacked: gzip.GzipFile) -> None:
    """The rows of the journal under the numbers that they had."""
    rows = _rows(change.task, unpacked)
    while batch := list(islice(rows, AT_ONCE)):
        journal.append(batch)
        change.task.last_ordinal = batch[-1][1]


def _rows(task: Task, unpacked: gzip.GzipFile) -> Iterator[tuple[Any, ...]]:
    ordinal = 0
    while (line := unpacked.readline(LONGEST_ROW).strip().rstrip(b",")) != b"]}":
        if not line:
            raise BadInput(_("The journal in this archive has no end: it is not whole."))
        ordinal += 1
        yield _row(task, ordinal, parse(line))


def _row(task: Task, ordinal: int, told: Any) -> tuple[Any, ...]:
    place = f"journal.{ordinal}"
    if not isinstance(told, dict) or told.get("ordinal") != ordinal:
        raise BadInput(_("The rows of the journal are not numbered without a gap."), place)
    item, step, actor = texts = [told.get(name, "") for name in LENGTHS]
    attempt, data = told.get("attempt", 0), told.get("data", {})
    fits = all(
        isinstance(one, str) and len(one) <= most for one, most in zip(texts, LENGTHS.values(), strict=True)
    )
    known = told.get("kind") in Kind.values and isinstance(data, dict)
    if not (fits and known and isinstance(attempt, int) and 0 <= attempt < MOST_ATTEMPTS):
        raise BadInput(_("This row of the journal is none that Taskboard has written."), place)
    return (task.pk, ordinal, _moment(told.get("at"), place), told["kind"], item, step, attempt, actor, data)


def _moment(text: Any, place: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise BadInput(_("This is no time."), place) from error
    if moment.tzinfo is None:
        raise BadInput(_("This time lacks its offset from UTC."), place)
    return moment
