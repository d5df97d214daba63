"""What a purge of tasks would remove, and what would stay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from django.db.models import Count, QuerySet

from taskboard import artifacts
from taskboard.models import Artifact, Effect, Task
from taskboard.retention import size
from taskboard.retention.tables import tables

MOST_NAMED = 100
NUMBERS = ("files", "bytes", "missing", "links", "effects")


@dataclass
class Preview:
    """Numbers of one task, or of several together. `gone` names managed files that are missing already, `stays`
    the links to what is kept elsewhere."""

    rows: dict[str, int] = field(default_factory=dict)
    files: int = 0
    bytes: int = 0
    missing: int = 0
    links: int = 0
    effects: int = 0
    gone: list[str] = field(default_factory=list)
    stays: list[str] = field(default_factory=list)

    @classmethod
    def recorded(cls, counts: Mapping[str, Any]) -> Self:
        """What a record or a plan says."""
        seen = cls(rows=dict(counts.get("rows", {})))
        for name in NUMBERS:
            setattr(seen, name, int(counts.get(name, 0)))
        seen.gone, seen.stays = list(counts.get("gone", ())), list(counts.get("stays", ()))
        return seen

    @property
    def total(self) -> int:
        return sum(self.rows.values())

    @property
    def row_bytes(self) -> int:
        """About what the rows take in the database."""
        return size.of_rows(self.rows)

    @property
    def named(self) -> list[tuple[str, int]]:
        """The rows per table as people call the tables."""
        titles = {table.label: table.title for table in tables()} | {Task._meta.label_lower: "tasks"}
        return [(titles.get(label, label), number) for label, number in self.rows.items()]

    def add(self, other: "Preview") -> None:
        for label, number in other.rows.items():
            self.rows[label] = self.rows.get(label, 0) + number
        for name in NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.gone = [*self.gone, *other.gone][:MOST_NAMED]
        self.stays = [*self.stays, *other.stays][:MOST_NAMED]

    def as_json(self) -> dict[str, Any]:
        """As it stands in purge records and in what the command prints."""
        numbers = {name: getattr(self, name) for name in NUMBERS}
        return {"rows": self.rows, **numbers, "gone": self.gone, "stays": self.stays}


def preview(task: Task) -> Preview:
    """Of one task; nothing is locked or changed."""
    return previews([task])[task.pk]


def previews(tasks: Sequence[Task]) -> dict[int, Preview]:
    """Of several tasks, with one query per table for all of them; nothing is locked or changed."""
    seen = {task.pk: Preview() for task in tasks}
    for table in tables():
        counted = _counted(table.of_tasks(seen), table.path)
        for pk, one in seen.items():
            one.rows[table.label] = counted.get(pk, 0)
    for one in seen.values():
        one.rows[Task._meta.label_lower] = 1
    _look_at_artifacts(tasks, seen)
    for pk, number in _counted(Effect.objects.filter(task__in=seen), "task").items():
        seen[pk].effects = number
    return seen


def _counted(rows: "QuerySet[Any]", path: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(path).annotate(Count("pk")))


def _look_at_artifacts(tasks: Sequence[Task], seen: Mapping[int, Preview]) -> None:
    there = Artifact.objects.filter(task__in=seen)
    managed, links = (_counted(there.filter(managed=value), "task") for value in (True, False))
    for task in tasks:
        one = seen[task.pk]
        _look_at_files(task, one, managed.get(task.pk, 0))
        one.links = links.get(task.pk, 0)
        if one.links:
            places = Artifact.objects.filter(task=task, managed=False).order_by("pk")
            one.stays = list(places.values_list("place", flat=True)[:MOST_NAMED])


def _look_at_files(task: Task, one: Preview, managed: int) -> None:
    sizes = dict(artifacts.files(task.public_id))
    one.files, one.bytes = len(sizes), sum(sizes.values())
    places = Artifact.objects.filter(task=task, managed=True).order_by("pk").values_list("place", flat=True)
    for place in places.iterator() if managed else ():
        if place not in sizes:
            one.missing += 1
            one.gone = [*one.gone, place][:MOST_NAMED]
