"""The eight steps of a resume, in order. Each returns what it found, for the journal and the task page."""

from typing import Any

from django.utils import timezone

from taskboard import budget, hints, lifecycle, standby, workflow
from taskboard.change import Change
from taskboard.engine import advance, deploys, fresh, reconcile, register
from taskboard.errors import WrongState
from taskboard.gates import gate
from taskboard.leases import lease
from taskboard.models import Item, PurgeRecord, Step, StepStatus, Task, TaskStatus
from taskboard.models.task import SETTLED_ITEMS
from taskboard.money import to_usd
from taskboard.resume import brief
from taskboard.resume.state import Resume
from taskboard.workflow import WorkflowSpec

Found = dict[str, Any]
NEXT = 500
"""At most this many of the next steps are asked whether their facts are too old."""


def load_state(resume: Resume) -> Found:
    """1. The structured state: rows, never a transcript."""
    resume.task = Task.objects.get(pk=resume.task.pk)
    task = resume.task
    return {"status": task.status, "last_checkpoint": task.last_checkpoint, "items": dict(task.item_counts)}


def check_and_count(resume: Resume) -> Found:
    """2. May it be resumed? One resumer at a time; count the restart."""
    if resume.by_person:  # the sweep has asked
        standby.refuse()
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        task = change.task
        _refuse(task, resume)
        found: Found = {"restart_count": task.restart_count + 1}
        if resume.by_person and task.held:
            found |= {"released": True, "workflow": resume.workflow or task.workflow}
            _release(change, resume.workflow or task.workflow)
        spec = workflow.get(change.task.workflow)
        found |= deploys.accept(change, spec, accepted=resume.accept_version)
        change.set(restart_count=task.restart_count + 1, resuming_until=change.now + lease())
        resume.task = task
    return found


def list_started(resume: Resume) -> Found:
    """3. Which steps were begun and not finished; they are fenced off from their former worker."""
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        reconcile.ask_at_once(change)
        resume.taken = reconcile.take(change)
    names = [f"{one.item.key}.{one.step.name}" for one in resume.taken]
    return {"started": names[:20], "count": len(names)} if names else {}


def ask_outside(resume: Resume) -> Found:
    """4. What became of each, in the outside world; it is settled at once. What an imported task did is made
    known by its effect keys."""
    settled = reconcile.settle(resume.task, resume.taken, resume.actor)
    known = register.register(resume.task, resume.actor)
    return settled | ({"effects_known": known} if known else {})


def collect_decisions(resume: Resume) -> Found:
    """5. Decisions that have come in, and questions whose time is over."""
    now = timezone.now()
    expired = gate().expire(now, resume.task)
    collected = gate().collect(now, resume.task)
    return {name: count for name, count in (("decisions", collected), ("expired", expired)) if count}


def refresh_facts(resume: Resume) -> Found:
    """6. What may have gone stale: the budget, and facts that a waiting write depends on."""
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        read_again = _read_again(change, workflow.get(change.task.workflow))
        left = budget.left_micro(change.task)
        found: Found = {"budget_left_usd": str(to_usd(max(left, 0)))} if left is not None else {}
        return found | ({"read_again": read_again[:20], "count": len(read_again)} if read_again else {})


def write_brief(resume: Resume) -> Found:
    """7. The brief: where the task stands, for the next step and for people."""
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        resume.brief = brief.write(change.task, change.now)
        brief.keep(change.task, resume.brief, change.now)
        change.set(brief=resume.brief)
    return {"bytes": len(resume.brief.encode())}


def go_on(resume: Resume) -> Found:
    """8. Continue with the next steps; what is done is skipped because its rows say so."""
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        if resume.by_person and change.task.status == TaskStatus.PAUSED:
            to = TaskStatus.RUNNING if change.task.started_at else TaskStatus.PENDING
            lifecycle.move_task(change, to)
        change.touched = True
        claimable = change.task.steps_in(StepStatus.PENDING)
    hints.soon("taskboard.run_task", resume.task.pk)
    return {"claimable": claimable} if claimable else {}


IN_ORDER = (
    load_state, check_and_count, list_started, ask_outside, collect_decisions, refresh_facts, write_brief, go_on,
)  # fmt: skip


def _refuse(task: Task, resume: Resume) -> None:
    if task.is_finished:
        raise WrongState(f"Task {task.public_id} is {task.get_status_display()}: there is nothing to resume.")
    if PurgeRecord.objects.filter(public_id=task.public_id).exists():
        raise WrongState(f"Task {task.public_id} is being purged; its archive can be imported again.")
    if task.resuming_until and task.resuming_until > timezone.now():
        raise WrongState(f"Task {task.public_id} is being resumed right now; wait for it to end.")
    if missing := _not_listed(task):
        raise WrongState(
            f"{missing} unfinished items of task {task.public_id} are counted but not listed; add them first."
        )
    if task.held and not (task.workflow or resume.workflow):
        raise WrongState(
            f"Task {task.public_id} was imported without its workflow; name it: --workflow NAME."
        )
    workflow.get(resume.workflow or task.workflow)


def _not_listed(task: Task) -> int:
    """Items to be worked on that the document of a held task only counts; those that are settled need no rows."""
    to_do = [number for status, number in task.unlisted.items() if status not in SETTLED_ITEMS]
    return sum(to_do) if task.held else 0


def _release(change: Change, name: str) -> None:
    """An imported task may go: its rows get what the workflow needs and the document does not list."""
    change.set(held=False, workflow=name, items_read=True)
    change.touched = True
    spec = workflow.get(name)
    if spec.task_steps:
        advance.whole_task_item(change)
    gate().ask_again(change)
    unsettled = Item.objects.filter(task=change.task).exclude(status__in=SETTLED_ITEMS)
    advance.follow(change, unsettled.values_list("pk", flat=True))


def _read_again(change: Change, spec: WorkflowSpec) -> list[str]:
    """Facts of the next steps that are too old; those of later ones are looked at when it is their turn."""
    due = Step.objects.filter(task=change.task).due(change.now).order_by("position", "id")
    held = fresh.hold_back(change, spec, list(due[:NEXT]))
    return [fact for again in held.values() for fact in again]
