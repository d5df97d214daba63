"""What a purge did, or would do, in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard.models import PurgeRecord, Task
from taskboard.retention import disk, expiry
from taskboard.retention.preview import Preview


@dataclass
class Report:
    """Collects task by task. `waits` is the plan that a second administrator has to agree to."""

    dry_run: bool
    tasks: list[str] = field(default_factory=list)
    sums: Preview = field(default_factory=Preview)
    archives: list[dict[str, str]] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)
    waits: int | None = None

    def would_purge(self, public_id: str, seen: Preview) -> str:
        """Count what would go; returns a line for people."""
        self._add(public_id, seen)
        return _("%(id)s: would be purged.") % {"id": public_id}

    def purged(self, record: PurgeRecord) -> str:
        """Count what went; returns a line for people."""
        self._add(record.public_id, Preview.recorded(record.counts))
        kept = {"task": record.public_id, "archive": record.archive, "sha256": record.archive_sha256}
        self.archives.append(kept)
        return _("%(task)s: purged. Archive: %(archive)s") % kept

    def note_kept(self, tasks: Iterable[Task], now: datetime) -> None:
        """Tasks that stay although their time is over, each with the reason."""
        tasks = list(tasks)
        why = expiry.reasons(tasks, now)
        self.kept += [(task.public_id, why[task.pk]) for task in tasks]

    def sum_up(self) -> str:
        """One sentence with the totals."""
        tasks, sums = len(self.tasks), self.sums
        if self.waits is not None:
            return _("Nothing was purged yet: another administrator has to agree to purge %d.") % self.waits
        if not self.tasks:
            return _("Nothing has expired.")
        went = ngettext("%d task purged", "%d tasks purged", tasks)
        if self.dry_run:
            went = ngettext("%d task would go", "%d tasks would go", tasks)
        held = (
            ngettext("%d row", "%d rows", sums.total) % sums.total,
            ngettext("%d file", "%d files", sums.files) % sums.files,
            ngettext("%d byte", "%d bytes", sums.bytes) % sums.bytes,
        )
        return f"{went % tasks}: {', '.join(held)}."

    def as_json(self) -> dict[str, Any]:
        """One object, for scripts."""
        held = [{"task": public_id, "why": why} for public_id, why in self.kept]
        told = {
            "dry_run": self.dry_run,
            "tasks": self.tasks,
            **self.sums.as_json(),
            "archives": self.archives,
        }
        return {**told, "held": held, "waits_for_second_person": self.waits, "reclaimed": self._reclaimed()}

    def _reclaimed(self) -> dict[str, Any]:
        """Files are gone at once; the room of rows is free inside the database."""
        gone = Preview() if self.dry_run or self.waits is not None else self.sums
        return {"file_bytes": gone.bytes, "row_bytes_estimated": gone.row_bytes, **disk.now().as_json()}

    def _add(self, public_id: str, counted: Preview) -> None:
        self.tasks.append(public_id)
        self.sums.add(counted)
