"""The brief: at most 6 KB on where a task stands, for the step after a resume and for people."""

from collections.abc import Iterable

from taskboard.gates import gate
from taskboard.models import Instruction, Item, Kind, Risk, Step, StepStatus, Task
from taskboard.money import to_usd

MOST_BYTES = 6 * 1024
MOST_LINES = 12


def write(task: Task) -> str:
    """The brief as Markdown. Facts that the server knows come first, what people and software said behind."""
    sections = [
        ("Goal", [task.goal]),
        ("Plan", task.plan),
        ("Progress", _progress(task)),
        ("Settled by looking it up", _settled(task)),
        ("Must not be done again", _done_writes(task)),
        ("Decisions", _decisions(task)),
        ("Money", _money(task)),
        ("Open risks", _risks(task)),
        ("Needs a person", _stuck(task)),
        ("Instructions from people", _instructions(task)),
        ("A line that people added", [task.brief_note] if task.brief_note else []),
        ("What the software said last (not verified)", [task.says] if task.says else []),
        ("Next", _next(task)),
    ]
    return _fit([_section(title, lines) for title, lines in sections if lines])


def _section(title: str, lines: Iterable[str]) -> str:
    return f"## {title}\n" + "\n".join(f"- {' '.join(str(line).split())}" for line in lines)


def _fit(sections: list[str]) -> str:
    """Each section gets its fair share, so that none pushes another one out."""
    share = MOST_BYTES // max(len(sections), 1) - 2
    spare = sum(max(share - len(s.encode()), 0) for s in sections)
    long = [s for s in sections if len(s.encode()) > share] or [""]
    room = share + spare // len(long)
    return "\n\n".join(_cut(section, room) for section in sections)


def _cut(text: str, room: int) -> str:
    raw = text.encode()
    return text if len(raw) <= room else raw[: room - 4].decode(errors="ignore").rstrip() + "…"


def _progress(task: Task) -> list[str]:
    counts = ", ".join(f"{number} {status}" for status, number in sorted(task.item_counts.items()))
    return [f"{task.total} items: {counts or 'none'}", f"Restarts so far: {task.restart_count}"]


def _settled(task: Task) -> list[str]:
    rows = task.journal.filter(kind=Kind.RESULT, data__has_key="found").order_by("-ordinal")[:MOST_LINES]
    return [f"{row.item_key}.{row.step}: it had happened ({row.data.get('external_id', '')})" for row in rows]


def _done_writes(task: Task) -> list[str]:
    done = Step.objects.filter(task=task, status=StepStatus.DONE, idempotency_key__isnull=False)
    latest = done.order_by("-finished_at")[:MOST_LINES].select_related("item")
    lines = [f"{step.item.key}.{step.name} {step.external_id}".strip() for step in latest]
    return [f"{done.count()} writes are done, the latest:", *lines] if lines else []


def _decisions(task: Task) -> list[str]:
    return [
        f"{d.outcome} by {d.by}: {d.action}" + (f" — “{d.comment}”" if d.comment else "")
        for d in gate().settled(task, MOST_LINES)
    ]


def _money(task: Task) -> list[str]:
    limit = "no limit" if task.limit_usd is None else f"of {task.limit_usd} USD"
    return [f"{to_usd(task.spent_micro)} USD spent {limit}, {to_usd(task.reserved_micro)} USD reserved"]


def _risks(task: Task) -> list[str]:
    return [
        f"{risk.severity}: {risk.text}"
        for risk in Risk.objects.filter(task=task, closed_at=None)[:MOST_LINES]
    ]


def _stuck(task: Task) -> list[str]:
    stuck = Item.objects.filter(task=task, status__in=("blocked", "waiting_approval"))[:MOST_LINES]
    return [f"{item.key} stands at {item.stage}: {item.get_status_display()}" for item in stuck]


def _instructions(task: Task) -> list[str]:
    return [
        f"{i.added_by}: {i.text}"
        for i in Instruction.objects.filter(task=task, taken_up_at=None)[:MOST_LINES]
    ]


def _next(task: Task) -> list[str]:
    pending = task.step_counts.items()
    return [
        f"{name}: {per[StepStatus.PENDING]} to do" for name, per in pending if per.get(StepStatus.PENDING)
    ]
