"""The plan of a task, each sentence with where its steps stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard.models import StepStatus, Task
from taskboard.views import funnel
from taskboard.views.funnel import Line
from taskboard.workflow import WorkflowSpec

S = StepStatus
DONE, OVER = (S.DONE, S.SKIPPED), (S.DONE, S.SKIPPED, S.FAILED, S.REJECTED, S.CANCELLED)
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
        _sentence(task, str(text), about[number] if number < len(about) else (), lines)
        for number, text in enumerate(task.plan)
    ]


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
    done = sum(task.step_counts.get(name, {}).get(status, 0) for name in names for status in DONE)
    over = sum(task.step_counts.get(name, {}).get(status, 0) for name in names for status in OVER)
    total = sum(known[name].total if name in known else 1 for name in names)
    failed = sum(task.step_counts.get(name, {}).get(S.FAILED, 0) for name in names)
    status = _status(task, names, begun=bool(over), ended=total > 0 and over >= total)
    if failed and status == "done":
        status = "partly_failed" if done else "failed"
    return Sentence(text, status, _figures(done, failed, total))


def _figures(done: int, failed: int, total: int) -> str:
    """`20 of 41, 1 failed`."""
    if total <= 1:
        return ""
    told = [_("%(done)s of %(total)s") % {"done": f"{done:,}", "total": f"{total:,}"}] if done else []
    told += [ngettext("%d failed", "%d failed", failed) % failed] if failed else []
    return ", ".join(told)


def _status(task: Task, names: Sequence[str], *, begun: bool, ended: bool) -> str:
    """What it stands at: what needs a person first, then what moves."""
    counts = [task.step_counts.get(name, {}) for name in names]
    for status, such in STATES.items():
        if any(per.get(one) for per in counts for one in such):
            return str(status)
    if ended:
        return "done"
    started = any(per.get(S.STARTED) for per in counts)
    if not (begun or started):
        return "pending"
    return "begun" if funnel.is_still(task) else "running"
