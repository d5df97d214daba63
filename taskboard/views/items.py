"""The items table of a task: a window of rows, each with its steps as marks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from taskboard.live import Rows
from taskboard.models import Item, ItemStatus, Step, Task
from taskboard.views.funnel import BEGUN, Mark, is_still, labels, marks, to_come

PER_PAGE = 100
COLUMNS = ("item_id", "name", "revision", "status", "attempt", "summary", "error")


@dataclass(frozen=True)
class Row:
    """All that the table shows of an item, as plain values: equal rows are rendered once."""

    task: str
    pk: int
    key: str
    label: str
    status: str
    marks: tuple[Mark, ...]
    note: str

    @property
    def html(self) -> SafeString:
        return _html(self, get_language() or "")


@dataclass(frozen=True)
class Window:
    """The rows after a position, and whether there are any on either side."""

    rows: Sequence[Row]
    after: int
    first: int
    last: int
    more: bool
    ended: bool = False

    @property
    def before(self) -> int | None:
        """Where the window before this one begins."""
        return max(self.after - PER_PAGE, 0) if self.after else None


def window(task: Task, after: int) -> Window:
    """Two queries, however many items there are."""
    found = Item.objects.listed().filter(task=task, position__gt=after).order_by("position")
    items = list(found[: PER_PAGE + 1])
    shown = items[:PER_PAGE]
    steps: dict[int, list[Step]] = {item.pk: [] for item in shown}
    for step in Step.objects.current().filter(item__in=steps).only(*COLUMNS).order_by("id"):
        steps[step.item_id].append(step)
    first, last = (shown[0].position, shown[-1].position) if shown else (after, after)
    known = labels(task)
    rows = [_row(task, item, marks(to_come(task, known, steps[item.pk]), steps[item.pk])) for item in shown]
    return Window(rows, after, first, last, len(items) > PER_PAGE, task.is_finished)


def rows_html(seen: Window) -> Rows:
    """Each row on its own, so that only those that changed are sent."""
    return Rows((f"item-{row.pk}", row.html) for row in seen.rows)


def pager_html(seen: Window) -> str:
    return render_to_string("taskboard/_items_pager.html", {"window": seen})


def _row(task: Task, item: Item, found: Sequence[Mark]) -> Row:
    shown = tuple(replace(mark, step=None) for mark in found)
    label = item.label or item.key
    status = BEGUN if item.status == ItemStatus.RUNNING and is_still(task) else item.status
    return Row(task.public_id, item.pk, item.key, label, status, shown, _note(found))


def _note(found: Sequence[Mark]) -> str:
    """What is most worth knowing: the error of a step that is not done, else the last summary."""
    steps = [mark.step for mark in found if mark.step]
    errors = [step.error for step in steps if step.error and step.status != "done"]
    told = [step.summary for step in steps if step.summary]
    return next(iter(errors), "") or (told[-1] if told else "")


@lru_cache(maxsize=5000)
def _html(row: Row, language: str) -> SafeString:
    return render_to_string("taskboard/_item.html", {"row": row})
