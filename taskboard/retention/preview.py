"""What a purge of a task would remove, and what would stay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from taskboard import artifacts
from taskboard.models import Artifact, Task
from taskboard.retention.tables import tables

MOST_LINKS = 100


@dataclass
class Preview:
    """Numbers of one task, or of several together."""

    rows: dict[str, int] = field(default_factory=dict)
    files: int = 0
    bytes: int = 0
    missing: int = 0
    links: int = 0
    stays: list[str] = field(default_factory=list)

    @classmethod
    def recorded(cls, counts: Mapping[str, Any]) -> Self:
        """What a purge record says that went."""
        seen = cls(rows=dict(counts.get("rows", {})))
        for name in ("files", "bytes", "missing", "links"):
            setattr(seen, name, int(counts.get(name, 0)))
        return seen

    @property
    def total(self) -> int:
        return sum(self.rows.values())

    @property
    def named(self) -> list[tuple[str, int]]:
        """The rows per table as people call the tables."""
        titles = {table.label: table.title for table in tables()} | {Task._meta.label_lower: "tasks"}
        return [(titles.get(label, label), number) for label, number in self.rows.items()]

    def add(self, other: "Preview") -> None:
        for label, number in other.rows.items():
            self.rows[label] = self.rows.get(label, 0) + number
        self.files += other.files
        self.bytes += other.bytes
        self.missing += other.missing
        self.links += other.links
        self.stays = [*self.stays, *other.stays][:MOST_LINKS]

    def as_json(self) -> dict[str, Any]:
        """As it stands in purge records and in what the command prints."""
        numbers = {"files": self.files, "bytes": self.bytes, "missing": self.missing, "links": self.links}
        return {"rows": self.rows, **numbers}


def preview(task: Task) -> Preview:
    """Count; nothing is locked or changed."""
    seen = Preview(rows={table.label: table.rows(task).count() for table in tables()})
    seen.rows[Task._meta.label_lower] = 1
    sizes = dict(artifacts.files(task.public_id))
    seen.files, seen.bytes = len(sizes), sum(sizes.values())
    managed = Artifact.objects.filter(task=task, managed=True).values_list("place", flat=True)
    seen.missing = sum(place not in sizes for place in managed.iterator())
    links = Artifact.objects.filter(task=task, managed=False)
    seen.links = links.count()
    seen.stays = list(links.values_list("place", flat=True)[:MOST_LINKS])
    return seen
