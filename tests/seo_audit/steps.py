"""What the audit's functions are given, without an engine: an indexed site, a context, a reading."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from taskboard.context import ItemFacts, SettledItem
from taskboard.models import Task
from taskboard.outcomes import NewArtifact, NewItem, Usage
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.reading import read_items
from tests.factories import make_task

PARAMS = {"approve_over": 20, "crawl_delay": "0", "price_per_page": "0", "owner_mail": "owner@example.org"}


def html(title: str | None = "A fair title", body: str = "<h1>Heading</h1>", head: str = "") -> str:
    """A page without faults of its own, apart from what the arguments say."""
    titled = "" if title is None else f"<title>{title}</title>"
    top = f'<!DOCTYPE html>\n<html lang="en">\n<head>\n  {titled}\n{head}</head>\n'
    return f"{top}<body>{body}</body>\n</html>\n"


def make_folder(folder: Path, pages: Mapping[str, str | bytes]) -> Path:
    """A site in a folder."""
    for path, content in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@dataclass
class Reader:
    """A reading of a source; remembers its pauses."""

    task: Task
    params: Mapping[str, Any]
    after: str = ""
    count: int = 0
    pauses: list[timedelta] = field(default_factory=list)

    @property
    def task_id(self) -> str:
        return self.task.public_id

    @property
    def task_pk(self) -> int:
        return self.task.pk

    def pause(self, length: timedelta) -> None:
        self.pauses.append(length)

    def spend(self, amount: Any, source: str) -> None:
        raise AssertionError("reading costs nothing")


def store(task: Task, items: Iterator[NewItem]) -> list[NewItem]:
    """Store the rows as the engine does."""
    stored = []
    for item in items:
        for row in item.rows:
            row.task = task  # type: ignore[attr-defined]
            row.save()
        stored.append(item)
    return stored


def indexed(source: str | Path, **params: Any) -> Task:
    """A task whose source has been read."""
    task = make_task(params={**PARAMS, "source": str(source), **params})
    store(task, read_items(Reader(task, task.params)))
    return task


def page_of(task: Task, path: str) -> SitePage:
    """One page of the index."""
    return SitePage.objects.get(task=task, path=path)


@dataclass
class Ctx:
    """A step's context that remembers what it was told."""

    task: Task
    key: str
    step: str = "apply_fix"
    outputs: dict[str, Any] = field(default_factory=dict)
    approved: Mapping[str, Any] | None = None
    settled: list[SettledItem] = field(default_factory=list)
    revision: int = 1
    attempt: int = 1
    external_id: str = ""
    adopted: bool = False
    artifacts: dict[str, bytes] = field(default_factory=dict)
    risks: list[str] = field(default_factory=list)
    instructions: Sequence[str] = ()

    goal, started_by = "Audit", "ops"

    def __post_init__(self) -> None:
        self.task_id, self.task_pk, self.params = self.task.public_id, self.task.pk, self.task.params
        self.idempotency_key = f"{self.task_id}:{self.key}:{self.step}"
        page = SitePage.objects.filter(task=self.task, path=self.key).first()
        self.item = ItemFacts(self.key, self.key, {"path": self.key, "url": page.url if page else ""})

    def artifact(self, new: NewArtifact) -> str:
        self.artifacts[new.name] = new.content or b""
        return new.name

    def risk(self, text: str, severity: str = "medium") -> None:
        self.risks.append(text)

    def items(self) -> Iterator[SettledItem]:
        yield from self.settled

    def spend(self, usage: Usage, source: str) -> None:
        raise AssertionError("costs go with the result")

    def say(self, text: str) -> None:
        """Nobody listens."""

    def mail_starter(self) -> str:
        return ""
