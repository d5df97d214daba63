"""The brief: at most 6 KB on where a task stands, for the step after a resume and for people."""

from collections.abc import Iterator
from datetime import datetime

from django.utils import timezone

from taskboard import usage, workflow
from taskboard.brevity import fit, section
from taskboard.budget import left_micro
from taskboard.gates import gate
from taskboard.models import Brief, Instruction, Risk, StepStatus, Task
from taskboard.money import to_usd
from taskboard.resume import facts

MOST_BYTES = 6 * 1024
FOR_THE_ITEM = 1024
"""Room left for what a step adds about its own item; see taskboard.engine.item_brief."""
MOST_LINES = 12
KEPT = 20
"""At most this many briefs of a task are kept."""


def write(task: Task, now: datetime | None = None) -> str:
    """The brief as Markdown. What the server knows is kept apart from what people said, and from what the
    software wrote about itself."""
    now = now or timezone.now()
    known = [
        "# What the server knows",
        section("Goal", [task.goal]),
        section("Plan", task.plan),
        section("Progress", _progress(task)),
        section("Settled since it was begun", _settled(task)),
        section("Must not be done again", _done_writes(task)),
        section("Money", _money(task)),
        section("Facts that are too old", _stale(task, now)),
        section("Needs a person", _stuck(task)),
        section("Next", _next(task)),
    ]
    said = [
        section("Decisions", _decisions(task)),
        section("Instructions from people", _instructions(task)),
        section("Lines that people added", task.brief_note.splitlines()),
    ]
    wrote = [section("Open risks", _risks(task)), section("Says now", [task.says] if task.says else [])]
    parts = [
        *known,
        *_under("# What people said", said),
        *_under("# What the software wrote (not checked)", wrote),
    ]
    return fit(parts, MOST_BYTES - FOR_THE_ITEM)


def keep(task: Task, text: str, now: datetime) -> Brief:
    """Store it as the newest; the caller holds the task's lock and sets `task.brief`. The oldest give way."""
    last = last_kept(task)
    if last is not None and last.text == text:
        return last
    number = last.number + 1 if last else 1
    Brief.objects.filter(task=task, number__lte=number - KEPT).delete()
    return Brief.objects.create(task=task, number=number, at=now, text=text)


def last_kept(task: Task) -> Brief | None:
    return Brief.objects.filter(task=task).order_by("number").last()


def last_other(task: Task, text: str) -> Brief | None:
    """The newest kept one that reads differently: what to compare a text with."""
    return Brief.objects.filter(task=task).exclude(text=text).order_by("number").last()


def _under(heading: str, sections: list[str]) -> list[str]:
    told = [text for text in sections if text]
    return [heading, *told] if told else []


def _progress(task: Task) -> list[str]:
    counts = ", ".join(f"{number} {status}" for status, number in sorted(task.item_counts.items()))
    last = (
        f"The last step done: {task.last_completed_at:%Y-%m-%d %H:%M} UTC" if task.last_completed_at else ""
    )
    lines = [f"{task.total} items: {counts or 'none'}", f"Restarts so far: {task.restart_count}", last]
    return [line for line in lines if line]


def _settled(task: Task) -> list[str]:
    """What was found out about steps that were begun and never reported."""
    lines = [
        f"{row.item_key}.{row.step}: it had happened {row.data.get('external_id', '')}"
        for row in facts.found(task)
    ]
    by_people = facts.settled_by_people(task)
    return lines + [f"{row.item_key}.{row.step}: {row.data['did']}, said by {row.actor}" for row in by_people]


def _done_writes(task: Task) -> list[str]:
    number, latest = facts.last_writes(task)
    lines = [f"{step.item.key}.{step.name} {step.external_id}".strip() for step in latest]
    return [f"Writes done: {number}. The latest:", *lines] if lines else []


def _decisions(task: Task) -> list[str]:
    return [
        f"{d.outcome} by {d.by}: {d.action}" + (f" — “{d.comment}”" if d.comment else "")
        for d in gate().settled(task, MOST_LINES)
    ]


def _money(task: Task) -> list[str]:
    guessed = usage.estimated_micro(task)
    spent = f"{to_usd(task.spent_micro)} USD spent" + (f" ({to_usd(guessed)} estimated)" if guessed else "")
    spent += f", {to_usd(task.reserved_micro)} USD reserved"
    left = left_micro(task)
    if left is None:
        return [f"{spent}, no limit"]
    return [f"{spent} of {task.limit_usd} USD; {to_usd(max(left, 0))} USD left"]


def _stale(task: Task, now: datetime) -> Iterator[str]:
    """Facts older than their step allows, while a later step of their item still waits."""
    spec = workflow.find(task.workflow)
    if spec is None:
        return
    for name, number in facts.too_old(task, spec, now):
        if number:
            yield f"{name} of {number} of the next items is older than {spec.steps[name].fresh_for}"


def _risks(task: Task) -> list[str]:
    opened = Risk.objects.filter(task=task, closed_at=None).order_by("-pk")[:MOST_LINES]
    return [f"{risk.severity}, raised by {risk.raised_by}: {risk.text}" for risk in opened]


def _stuck(task: Task) -> list[str]:
    return [f"{item.key} stands at {item.stage}: {item.get_status_display()}" for item in facts.stuck(task)]


def _instructions(task: Task) -> list[str]:
    """Those that wait first, then the latest that were taken up."""
    told = Instruction.objects.filter(task=task)
    waiting = list(told.filter(taken_up_at=None)[:MOST_LINES])
    taken = list(told.exclude(taken_up_at=None).order_by("-taken_up_at", "position")[:MOST_LINES])
    return [f"{i.added_by}, queued: {i.text}" for i in waiting] + [
        f"{i.added_by}, taken up by {i.taken_up_by}: {i.text}" for i in taken
    ]


def _next(task: Task) -> list[str]:
    pending = task.step_counts.items()
    lines = [
        f"{name}: {per[StepStatus.PENDING]} to do" for name, per in pending if per.get(StepStatus.PENDING)
    ]
    stop = {name: value for name, value in task.stop_after.items() if name != "by"}
    return lines + [f"Stop after {name}: {value}" for name, value in stop.items()]
