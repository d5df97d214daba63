"""Write a backup: the database first, then the files, so that every file the database names is there."""

import hashlib
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.core.files.storage import Storage, storages
from django.db import connection
from django.utils import timezone

from taskboard import audit, standby
from taskboard.artifacts import CHUNK
from taskboard.backup import manifest, postgres, sqlite
from taskboard.backup.manifest import DATABASES, STORAGES, Manifest, Part
from taskboard.backup.unpack import check

TOOLS = {"sqlite": sqlite, "postgresql": postgres}


def write(target: Path, by: str) -> Manifest:
    """The file appears whole, and only if what it holds can be read back."""
    standby.known()  # the copy has a row to stand by with
    made = Manifest(timezone.now(), connection.vendor)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder:
        draft, dump = Path(folder, target.name), Path(folder, DATABASES[connection.vendor])
        TOOLS[connection.vendor].dump(dump, made.made_at)
        draft.touch(mode=0o600)
        with draft.open("wb") as file:
            _pack(file, made, dump, packed=target.suffix in (".gz", ".tgz"))
            file.flush()
            os.fsync(file.fileno())
        check(draft)
        draft.replace(target)
    audit.record(by, "backup", ("backup", target.name), after={"files": made.files, "bytes": made.size})
    return made


def _pack(file: IO[bytes], made: Manifest, dump: Path, *, packed: bool) -> None:
    with tarfile.open(fileobj=file, mode="w:gz" if packed else "w", format=tarfile.PAX_FORMAT) as tar:
        with dump.open("rb") as content:
            _add(tar, made, dump.name, content)
        for name in STORAGES:
            for path in stored(storages[name]):
                _add_file(tar, made, storages[name], name, path)
        raw = made.to_bytes()
        tar.addfile(_info(manifest.NAME, len(raw)), BytesIO(raw))


def stored(storage: Storage, folder: str = "") -> Iterator[str]:
    """Every file of a storage; hidden ones are drafts of what is being written."""
    try:
        folders, names = storage.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in sorted(names):
        if not name.startswith("."):
            yield str(PurePosixPath(folder, name))
    for name in sorted(folders):
        yield from stored(storage, str(PurePosixPath(folder, name)))


def _add_file(tar: tarfile.TarFile, made: Manifest, storage: Storage, name: str, path: str) -> None:
    try:
        content = storage.open(path, "rb")
    except FileNotFoundError:  # purged since it was listed
        return
    with content:
        _add(tar, made, f"{name}/{path}", content)


def _add(tar: tarfile.TarFile, made: Manifest, name: str, content: Any) -> None:
    size = content.seek(0, os.SEEK_END)
    content.seek(0)
    reader = _Hashing(content)
    tar.addfile(_info(name, size), reader)
    made.parts[name] = Part(size, reader.sha256.hexdigest())


def _info(name: str, size: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, int(time.time())
    return info


class _Hashing:
    """Reads, and knows the hash of what was read."""

    def __init__(self, content: IO[bytes]) -> None:
        self.content, self.sha256 = content, hashlib.sha256()

    def read(self, size: int = CHUNK) -> bytes:
        chunk = self.content.read(size)
        self.sha256.update(chunk)
        return chunk
