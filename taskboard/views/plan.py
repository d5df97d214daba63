"""The plan of a task, each sentence with where its steps stand, counted by the same lines as the progress."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext as _

from taskboard.joining import listed
from taskboard.models import ItemStatus, StepStatus, Task, TaskStatus
from taskboard.views import funnel
from taskboard.views.funnel import Line
from taskboard.workflow import WorkflowSpec

S, I = StepStatus, ItemStatus  # noqa: E741
STATES: Mapping[StepStatus, tuple[StepStatus, ...]] = {
    S.UNKNOWN: (S.UNKNOWN, S.BLOCKED),
    S.WAITING_APPROVAL: (S.WAITING_APPROVAL,),
}


@dataclass(frozen=True)
class Sentence:
    """A sentence of the plan; `status` is empty where nobody said which steps it is about."""

    text: str
    status: str = ""
    figures: str = ""


def sentences(task: Task, lines: Sequence[Line]) -> list[Sentence]:
    """In order. Which steps a sentence is about is declared by the workflow (`plan_steps`)."""
    spec = funnel.spec_of(task)
    about = _about(spec, len(task.plan)) if spec else []
    return [
        _sentence(task, translated(str(text)), about[number] if number < len(about) else (), lines)
        for number, text in enumerate(task.plan)
    ]


def translated(text: str) -> str:
    """It is kept in English, and read in the language of the reader where the catalogue has it."""
    return gettext(text) if text else ""


def _about(spec: WorkflowSpec, number: int) -> Sequence[Sequence[str]]:
    """As declared; else one to one where there are as many sentences as steps."""
    declared: Sequence[Sequence[str]] = getattr(spec.owner, "plan_steps", ())
    if len(declared) == number:
        return declared
    return [(name,) for name in spec.steps] if len(spec.steps) == number else []


def _sentence(task: Task, text: str, names: Sequence[str], lines: Sequence[Line]) -> Sentence:
    if not names:
        return Sentence(text)
    known = {line.name: line for line in lines}
    about = [known.get(name) or funnel.whole_task_step(task, name) for name in names]
    over, total = sum(line.over for line in about), sum(line.total for line in about)
    ended = total > 0 and over >= total and not _cut_off(task, names)
    status = _status(task, names, begun=bool(over), ended=ended)
    if status == "done" and _sum(about, I.FAILED):
        status = "partly_failed" if over > _sum(about, I.FAILED) else "failed"
    return Sentence(text, status, _figures(about, total))


def _figures(about: Sequence[Line], total: int) -> str:
    """`20 of 41, 3 skipped, 1 failed`: what was done is told alone, as in the progress."""
    if total <= 1:
        return ""
    done, skipped, failed = (_sum(about, status) for status in (I.DONE, I.SKIPPED, I.FAILED))
    told = []
    if done or skipped:
        told += [_("%(done)s of %(total)s") % {"done": f"{done:,}", "total": f"{total:,}"}]
    told += [_("%d skipped") % skipped] if skipped else []
    told += [ngettext("%d failed", "%d failed", failed) % failed] if failed else []
    return listed(told)


def _sum(lines: Iterable[Line], status: ItemStatus) -> int:
    return sum(line.counts.get(status, 0) for line in lines)


def _cut_off(task: Task, names: Sequence[str]) -> bool:
    """Whether the task was cancelled before all its items were through with these steps."""
    spec = funnel.spec_of(task)
    if task.status != TaskStatus.CANCELLED or spec is None:
        return False
    on_the_way = set(names).union(*(funnel.ancestors(spec, name) for name in names if name in spec.steps))
    return any(task.step_counts.get(name, {}).get(S.CANCELLED) for name in on_the_way)


def _status(task: Task, names: Sequence[str], *, begun: bool, ended: bool) -> str:
    """What it stands at: what needs a person first, then what moves."""
    counts = [task.step_counts.get(name, {}) for name in names]
    for status, such in STATES.items():
        if any(per.get(one) for per in counts for one in such):
            return str(status)
    if ended:
        return "done"
    started = any(per.get(S.STARTED) for per in counts)
    if task.status == TaskStatus.CANCELLED and not started:
        return "cancelled"
    if not (begun or started):
        return "pending"
    return "begun" if funnel.is_still(task) else "running"
