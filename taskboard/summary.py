"""A task in a few values, for scripts and for people in a terminal."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Count, Q
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from taskboard import dates, usage
from taskboard.gates import Settled, gate
from taskboard.joining import flowing
from taskboard.models import ItemStatus, Risk, Task, TaskStatus
from taskboard.money import to_usd

COUNTED = (
    ItemStatus.DONE, ItemStatus.FAILED, ItemStatus.REJECTED, ItemStatus.SKIPPED, ItemStatus.CANCELLED,
    ItemStatus.WAITING_APPROVAL, ItemStatus.BLOCKED, ItemStatus.RUNNING, ItemStatus.PENDING,
)  # fmt: skip

LONGEST_REASON = 200


def as_values(task: Task) -> dict[str, Any]:
    """What `showtask --json` prints; amounts are text, so that none is rounded."""
    return {
        "task_id": task.public_id, "workflow": task.workflow, "goal": task.goal, "status": task.status,
        "reason": task.reason, "held": task.held, "says": task.says,
        "progress": progress(task),
        "not_listed": sum(task.unlisted.values()), "steps": task.step_counts, "budget": _budget(task),
        "usage": usage.per_model(task), "risks": _risks(task),
        "approvals": gate().open_questions(task), "restart_count": task.restart_count,
        "last_checkpoint": task.last_checkpoint, "created_by": task.created_by_name,
        "created_at": task.created_at, "updated_at": task.updated_at, "started_at": task.started_at,
        "last_completed_at": task.last_completed_at, "finished_at": task.finished_at,
    }  # fmt: skip


def still_blocked(task: Task) -> str:
    """What to tell whoever has resumed it in vain; empty if it goes on."""
    if not _is_short(task):
        return ""
    if refused := refusals([task]).get(task.pk):
        return flowing([_("It stays blocked."), why_short(refused)])
    return _("It stays blocked: the budget is used up. Raise it, or answer the question.")


def refusals(tasks: Iterable[Task]) -> Mapping[int, Settled]:
    """Of those that stand still for their budget, who refused to raise it; one query for all."""
    short = [task.pk for task in tasks if _is_short(task)]
    return gate().budget_refused(short) if short else {}


def why_short(refused: Settled | None) -> str:
    """Why a task that stands still for its budget does so, and what to do."""
    if refused is None:
        return _("The budget does not cover the next step. A manager is asked to raise it.")
    told = {
        "name": refused.by,
        "at": dates.minute(refused.at),
        "why": Truncator(refused.comment).chars(LONGEST_REASON),
    }
    how = _("Nobody said whether to raise it, and the question is closed (%(at)s).")
    if refused.by:
        how = _("%(name)s refused to raise it (%(at)s): “%(why)s”.")
    advice = _("Ask a manager to press Budget … on the page of the task, or cancel it.")
    return flowing([_("The budget does not cover the next step."), how % told, advice])


def _is_short(task: Task) -> bool:
    return task.status == TaskStatus.BLOCKED and task.out_of_budget


def progress(task: Task) -> dict[str, int]:
    """How many items there are, and how many stand in each status."""
    return {"total": task.total, **{name.value: task.item_counts.get(name, 0) for name in COUNTED}}


def _budget(task: Task) -> dict[str, str | None]:
    limit = None if task.limit_usd is None else str(task.limit_usd)
    estimated = str(to_usd(usage.estimated_micro(task)))
    spent = {"spent_usd": str(task.spent_usd), "estimated_usd": estimated}
    return {"limit_usd": limit, **spent, "reserved_usd": str(task.reserved_usd)}


def _risks(task: Task) -> dict[str, int]:
    closed = Q(closed_at__isnull=False)
    return Risk.objects.filter(task=task).aggregate(open=Count("pk", ~closed), closed=Count("pk", closed))


def as_lines(values: Mapping[str, Any], why: str = "") -> Iterator[str]:
    """The same for a person, with a sentence on why it stands still."""
    budget, progress = values["budget"], values["progress"]
    yield f"{values['task_id']}: {values['goal']}"
    yield f"Status      {values['status']}" + (f" ({values['reason']})" if values["reason"] else "")
    if why:
        yield f"            {why}"
    if values["held"]:
        yield "            imported; nothing runs until a person resumes it"
    yield f"Progress    {progress['done']} of {progress['total']} items done" + _others(progress)
    if values["not_listed"]:
        yield f"            {values['not_listed']} items not listed"
    for name, counts in values["steps"].items():
        yield f"  {name}: " + ", ".join(f"{number} {_words(status)}" for status, number in counts.items())
    limit = f"of {budget['limit_usd']} USD" if budget["limit_usd"] else "USD, no limit"
    yield f"Budget      {budget['spent_usd']} {limit} spent, {budget['reserved_usd']} reserved"
    yield from (_use(entry) for entry in values["usage"] if entry["model"] or entry["usd"] != "0.00")
    yield f"Risks       {values['risks']['open']} open, {values['risks']['closed']} closed"
    for question in values["approvals"]:
        yield f"Waits for   question {question['id']}: {question['action']}"
    yield f"Restarts    {values['restart_count']}"
    yield f"Last        {values['last_checkpoint'] or 'nothing yet'}"


def _use(entry: Mapping[str, Any]) -> str:
    """`  gpt: 1.20 USD, 3 calls, 1200 tokens in, 300 out (0.10 USD of it estimated)`."""
    figures = [
        (entry["calls"], "calls"),
        (entry["tokens_in"], "tokens in"),
        (entry["tokens_out"], "tokens out"),
    ]
    parts = [f"{entry['usd']} USD", *(f"{number} {name}" for number, name in figures if number)]
    guessed = "" if entry["estimated_usd"] == "0.00" else f" ({entry['estimated_usd']} USD of it estimated)"
    return f"  {entry['model'] or 'without a model'}: {', '.join(parts)}{guessed}"


def _others(progress: Mapping[str, int]) -> str:
    rest = [(name, number) for name, number in progress.items() if number and name not in ("total", "done")]
    return "".join(f", {number} {_words(name)}" for name, number in rest)


def _words(status: str) -> str:
    return status.replace("_", " ")
