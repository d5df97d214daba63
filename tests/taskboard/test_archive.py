"""An archive holds the whole document and journal, and is proven before anything is deleted."""

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile

from taskboard import document, journal
from taskboard.errors import NotFound
from taskboard.models import PurgeRecord, Step, Task
from taskboard.retention import archive, purge
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db


def read(name: str) -> dict[str, Any]:
    with archive.storage().open(name, "rb") as file:
        return json.loads(gzip.decompress(file.read()))  # type: ignore[no-any-return]


def test_it_holds_the_document_and_every_row_of_the_journal() -> None:
    task = make_full_task()
    kept = read(archive.write(task).name)
    assert kept["archive"] == archive.VERSION
    assert kept["state"] == document.of(task)
    assert kept["journal"] == [json.loads(json.dumps(journal.as_json(row))) for row in journal.stream(task)]


def test_its_name_and_hash_are_those_of_the_file() -> None:
    task = make_full_task()
    kept = archive.write(task)
    content = (Path(settings.TASKBOARD_VAR) / "archives" / kept.name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == kept.sha256
    assert kept.name == f"{task.public_id}-{kept.sha256[:12]}.json.gz"


def test_the_same_task_gives_the_same_file() -> None:
    task = make_full_task()
    assert archive.write(task) == archive.write(task)
    assert len(archive.storage().listdir("")[1]) == 1


def test_nothing_is_deleted_when_it_does_not_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_full_task()
    storage = type(archive.storage())

    def damaged(self: Any, name: str, content: Any) -> str:
        return str(save(self, name, ContentFile(content.read()[:-9] + b"123456789")))

    save = storage._save
    monkeypatch.setattr(storage, "_save", damaged)
    with pytest.raises(archive.ArchiveBroken, match="nothing was deleted"):
        purge.purge_task(task.pk, "admin")
    assert Step.objects.filter(task=task).count() == 3
    assert not PurgeRecord.objects.exists()
    assert Task.objects.get(pk=task.pk).held is False


def test_a_full_disk_leaves_task_and_storage_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_full_task()

    def full(*_: Any) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            purge.purge_task(task.pk, "admin")
    assert archive.storage().listdir("")[1] == []
    assert purge.purge_task(task.pk, "admin").completed


def test_an_archive_that_is_gone_is_said() -> None:
    record = purge.purge_task(make_full_task().pk, "admin")
    archive.storage().delete(record.archive)
    with pytest.raises(NotFound, match="gone"):
        archive.open_file(record)
