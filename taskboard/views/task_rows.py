"""The lines of the list of tasks. A line is plain values: equal lines are rendered once, whoever sees them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext

from taskboard import looks, summary, wording
from taskboard.gates import Asked, gate
from taskboard.models import ItemStatus, StepStatus, Task, TaskStatus
from taskboard.views import funnel

TROUBLES: Mapping[str, Callable[[int], str]] = {
    ItemStatus.FAILED: lambda n: ngettext("%d failed", "%d failed", n),
    ItemStatus.REJECTED: lambda n: ngettext("%d was rejected", "%d were rejected", n),
    ItemStatus.BLOCKED: lambda n: ngettext("%d needs a person", "%d need a person", n),
}
HELD = "held"


@dataclass(frozen=True)
class Row:
    """All that the list shows of a task: as `told` what the software says while it runs, else why it stands where it
    does; `frozen` where that does not say it. `ages` are the relative times in it, so that none grows old."""

    pk: int
    public_id: str
    goal: str
    workflow: str
    status: str
    told: str
    frozen: str
    waits_for: tuple[Asked, ...]
    counted: tuple[tuple[str, int], ...]
    done: int
    total: int
    troubles: tuple[str, ...]
    money: tuple[int, int, int | None]
    created_by: str
    created_at: datetime
    ages: tuple[str, ...]

    @property
    def counts(self) -> Mapping[str, int]:
        return dict(self.counted)

    @property
    def html(self) -> SafeString:
        return _html(self, get_language() or "")


def rows_of(tasks: Sequence[Task]) -> list[Row]:
    """One query for all, and only where someone is asked."""
    now = timezone.now()
    asking = [task.pk for task in tasks if task.steps_in(StepStatus.WAITING_APPROVAL) or task.out_of_budget]
    waits = gate().waits_for(asking, now) if asking else {}
    refusals = summary.refusals(tasks)
    return [_row(task, tuple(waits.get(task.pk, ())), refusals, now) for task in tasks]


def row_html(task: Task) -> str:
    return rows_of([task])[0].html


def _row(task: Task, asked: tuple[Asked, ...], refusals: wording.Refusals, now: datetime) -> Row:
    counts = task.item_counts
    runs = task.status == TaskStatus.RUNNING and not task.held
    told = task.says if runs else wording.why(task, refusals)
    return Row(
        task.pk, task.public_id, task.goal, task.workflow, HELD if task.held else task.status, told,
        wording.frozen(task) if runs or asked else "", asked, tuple(funnel.shown(task, counts).items()),
        counts.get(ItemStatus.DONE, 0), task.total, tuple(_troubles(counts)),
        (task.spent_micro, task.reserved_micro, task.limit_micro), task.created_by_name, task.created_at,
        tuple(looks.age(now - at) for at in (task.created_at, *(one.oldest for one in asked))),
    )  # fmt: skip


def _troubles(counts: Mapping[str, int]) -> Iterator[str]:
    """What the number of done items does not say."""
    for status, words_for in TROUBLES.items():
        if number := counts.get(status, 0):
            yield words_for(number) % number


@lru_cache(maxsize=2000)
def _html(row: Row, language: str) -> SafeString:
    return render_to_string("taskboard/_task.html", {"row": row})
