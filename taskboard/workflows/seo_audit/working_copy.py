"""The changed copy of a site: every file in it is the original with all changes that were recorded for it.

Two steps may change one page at the same time, one its title, one its description. So a change is first
recorded as a row, then the file is made anew from the original and all rows, until no row came in between.
Whoever writes last has seen all rows; no lock is needed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taskboard.context import Context
from taskboard.outcomes import Absent, CannotTell, FindAnswer, Found
from taskboard.workflows.seo_audit import files, index
from taskboard.workflows.seo_audit.models import SiteChange, SitePage
from taskboard.workflows.seo_audit.page import read_facts
from taskboard.workflows.seo_audit.splice import changed

Texts = Mapping[str, str]


@dataclass(frozen=True)
class Copy:
    """One page of the working copy, as one step sees it."""

    task_id: str
    page: SitePage
    original: bytes
    step: str

    @property
    def name(self) -> str:
        """Where the changed file is."""
        return files.changed_name(self.task_id, self.page.path)

    def with_texts(self, new: Texts) -> bytes:
        """The original with these texts; raises CannotChange."""
        return changed(self.original, self.page.charset, new)

    def now(self) -> bytes:
        """The page as it is in the working copy, or the original while nothing was changed."""
        current = files.read(self.name)
        return self.original if current is None else current

    def put(self, new: Texts) -> None:
        """Record the texts and make the file anew; raises CannotChange before anything is recorded."""
        self.with_texts({**self._recorded(), **new})
        own = {**self._row, "step": self.step}
        rows = [SiteChange(**own, field=field, text=text) for field, text in new.items()]
        SiteChange.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=("task", "path", "field"),
            update_fields=("text", "step"),
        )
        self._make()

    def take_back(self) -> None:
        """Undo what this step changed; what others changed stays."""
        SiteChange.objects.filter(**self._row, step=self.step).delete()
        self._make()

    def find(self, new: Texts) -> FindAnswer:
        """Whether the file has these texts, surely has not, or has something that nobody here wrote."""
        current, others = self.now(), self._others(new)
        if current in (self.with_texts(new), self.with_texts({**others, **new})):
            return Found(external_id=self.name)
        if current in (self.original, self.with_texts(others)):
            return Absent()
        return CannotTell(f"{self.page.path} in the working copy was changed by somebody else.")

    def shows(self, new: Texts) -> bool:
        """Read the file back as a browser would."""
        current = files.read(self.name)
        facts = read_facts(current, self.page.charset) if current is not None else None
        return facts is not None and all(getattr(facts, field) == text for field, text in new.items())

    @property
    def _row(self) -> dict[str, Any]:
        return {"task_id": self.page.task_id, "path": self.page.path}

    def _recorded(self) -> dict[str, str]:
        return dict(SiteChange.objects.filter(**self._row).order_by("field").values_list("field", "text"))

    def _others(self, new: Texts) -> dict[str, str]:
        return {field: text for field, text in self._recorded().items() if field not in new}

    def _make(self) -> None:
        seen: dict[str, str] | None = None
        while seen != (recorded := self._recorded()):
            seen = recorded
            files.write(self.name, self.with_texts(seen)) if seen else files.remove(self.name)


def open_copy(ctx: Context, path: str) -> Copy:
    """The working copy of a page; raises Unreadable if the original cannot be read any more."""
    page = index.page(ctx.task_pk, path)
    source = str(ctx.params.get("source", ""))
    return Copy(ctx.task_id, page, files.original(ctx.task_id, source, page), ctx.step)


def digest(body: bytes) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(body).hexdigest()
