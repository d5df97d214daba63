"""Files in a folder that appear whole or not at all, and replace what had their name."""

import os
import uuid
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files import File
from django.core.files.storage import FileSystemStorage


class AtomicFiles(FileSystemStorage):
    """Writes under a hidden name, then renames: nobody ever sees half a file, not even after a power cut."""

    def __init__(self, location: str | None = None, **options: Any) -> None:
        super().__init__(location, allow_overwrite=True, **options)

    def _save(self, name: str, content: File[Any]) -> str:
        draft = super()._save(str(PurePosixPath(name).with_name(f".{uuid.uuid4().hex}")), content)  # type: ignore[misc]
        source, target = Path(self.path(draft)), Path(self.path(name))
        try:
            _sync(source)
            source.replace(target)
        except OSError:
            source.unlink(missing_ok=True)
            raise
        _sync(target.parent)
        return name


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
