"""Backup and restore: consistent while others write, whole or refused, and what comes up stands by."""

import json
import tarfile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from taskboard import standby
from taskboard.backup import pack, unpack
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import AuditEntry, Heartbeat, Installation, Risk, Task
from tests.factories import make_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    make_full_task(goal="诊断 the site")
    storages["archives"].save("2026/old.json.gz", ContentFile(b"archive"))
    target = tmp_path / "taskboard.tar.gz"
    call_command("backup", str(target), stdout=StringIO())
    return target


def lose_everything() -> None:
    """What stands here now is another installation's."""
    call_command("flush", verbosity=0, interactive=False)
    make_task(goal="Not of the backup")
    for path in ("2026/old.json.gz",):
        storages["archives"].delete(path)


def rewritten(backup: Path, change: Any, rename: Any = str, times: int = 1) -> Path:
    """The same file with each part passed through `change(name, content)`; None leaves it out."""
    target = backup.with_name("changed.tar")
    with tarfile.open(backup) as before, tarfile.open(target, "w") as after:
        for member in before:
            file = before.extractfile(member)
            content = change(member.name, file.read() if file else b"")
            if content is not None:
                member.name, member.size = rename(member.name), len(content)
                for _ in range(times):
                    after.addfile(member, BytesIO(content))
    return target


def test_what_was_saved_comes_back_and_stands_by(backup: Path) -> None:
    lose_everything()
    out = StringIO()
    call_command("restore", str(backup), "--replace", stdout=out)
    assert [task.goal for task in Task.objects.all()] == ["诊断 the site"]
    with storages["archives"].open("2026/old.json.gz") as file:
        assert file.read() == b"archive"
    row = Installation.objects.get()
    assert (row.why, standby.stands_by()) == ("restored", True)
    assert row.backup_at is not None
    assert "stands by" in out.getvalue()
    assert AuditEntry.objects.filter(action="restore").exists()


def test_the_original_goes_on(backup: Path) -> None:
    assert not standby.stands_by()
    assert AuditEntry.objects.filter(action="backup").count() == 1


def test_it_restores_into_an_empty_database_only_unless_told_so(backup: Path) -> None:
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", str(backup), stdout=StringIO())
    assert not standby.stands_by()


def test_nothing_is_replaced_under_running_processes(backup: Path) -> None:
    standby.known()
    now = timezone.now()
    Heartbeat.objects.create(owner="worker-1", role="worker", started_at=now, seen_at=now)
    with pytest.raises(WrongState, match="Stop its processes"):
        unpack.restore(backup, replace=True)


def test_a_backup_of_the_other_kind_of_database_is_refused(backup: Path) -> None:
    other = "sqlite" if connection.vendor == "postgresql" else "postgresql"
    part = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}

    def change(name: str, content: bytes) -> bytes:
        if name != "manifest.json":
            return content
        told = json.loads(content)
        told["database"] = other
        told["parts"][part[other]] = told["parts"][part[connection.vendor]]
        return json.dumps(told).encode()

    with pytest.raises(BadInput):
        unpack.restore(rewritten(backup, change), replace=True)


@pytest.mark.parametrize(
    "spoil", ["cut off", "no list", "other byte", "part missing", "no tar", "later format"]
)
def test_a_damaged_file_is_refused_before_anything_is_written(backup: Path, spoil: str) -> None:
    before = backup.read_bytes()

    def change(name: str, content: bytes) -> bytes | None:
        if name == "manifest.json":
            later = content.replace(b'"format": 1', b'"format": 9')
            return {"no list": None, "later format": later}.get(spoil, content)
        if name.startswith("artifacts/"):
            return {"other byte": content[:-1] + b"?", "part missing": None}.get(spoil, content)
        return content

    if spoil == "cut off":
        backup.write_bytes(before[: len(before) // 2])
    elif spoil == "no tar":
        backup.write_bytes(b"\0" * 5000)
    else:
        backup = rewritten(backup, change)
    with pytest.raises(BadInput) as refused:
        unpack.restore(backup, replace=True)
    assert "\n" not in str(refused.value)
    assert Task.objects.count() == 1
    assert not standby.stands_by()


def test_a_part_that_leads_out_of_the_storage_is_refused(backup: Path, tmp_path: Path) -> None:
    path = rewritten(backup, lambda name, content: content)
    with tarfile.open(path, "a") as tar:
        tar.addfile(tarfile.TarInfo("artifacts/../../evil"), BytesIO(b""))
    with pytest.raises(BadInput):
        unpack.restore(path, replace=True)
    assert not (tmp_path / "evil").exists()


def test_a_part_for_no_storage_of_ours_is_refused(backup: Path) -> None:
    """Although the list names it."""

    def change(name: str, content: bytes) -> bytes:
        return (
            content.replace(b'"archives/2026', b'"staticfiles/2026') if name == "manifest.json" else content
        )

    path = rewritten(backup, change, lambda name: name.replace("archives/", "staticfiles/"))
    with pytest.raises(BadInput, match="stands where it does not belong"):
        unpack.restore(path, replace=True)
    assert not storages["staticfiles"].exists("2026/old.json.gz")
    assert not standby.stands_by()


def test_a_part_that_stands_twice_is_refused(backup: Path) -> None:
    path = rewritten(backup, lambda name, content: content, times=2)
    with pytest.raises(BadInput, match="stands where it does not belong"):
        unpack.check(path)


def test_a_copy_that_is_not_sound_is_no_backup(tmp_path: Path) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL keeps no loose rows")
    with connection.constraint_checks_disabled():
        Risk.objects.create(task_id=404, text="loose", raised_by="step look", raised_at=timezone.now())
    with pytest.raises(CommandError, match="not sound"):
        call_command("backup", str(tmp_path / "x.tar"), stdout=StringIO())
    assert not (tmp_path / "x.tar").exists()


def test_it_never_writes_over_a_file_and_leaves_no_draft(backup: Path) -> None:
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", str(backup), stdout=StringIO())
    with pytest.raises(CommandError, match="no folder"):
        call_command("backup", str(backup.parent / "nowhere" / "x.tar"), stdout=StringIO())
    assert not [path for path in backup.parent.iterdir() if path.name.startswith(".backup-")]
    with pytest.raises(NotFound):
        unpack.check(backup.with_name("nothing.tar"))


def test_check_reads_it_and_changes_nothing(backup: Path) -> None:
    out = StringIO()
    call_command("restore", str(backup), "--check", stdout=out)
    assert "is whole" in out.getvalue()


def test_it_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    pack.write(tmp_path / "plain.tar", "test")
    assert (tmp_path / "plain.tar").stat().st_mode & 0o077 == 0
