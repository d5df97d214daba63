"""What an installation that stands by would do, and the end of its stand-by by a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from taskboard import audit, hints, lifecycle, standby, workflow
from taskboard.audit import Actor
from taskboard.engine.claim import CLAIMABLE
from taskboard.gates import Outgoing, gate
from taskboard.models import Installation, Kind, Step, StepStatus, Task, TaskStatus
from taskboard.models.task import OPEN_TASKS, LookFirst
from taskboard.workflow import StepSpec

GOING = (TaskStatus.PENDING, *CLAIMABLE)
MOST = 50


@dataclass(frozen=True)
class Due:
    """Steps of one name that would begin, or be looked up."""

    workflow: str
    step: str
    status: StepStatus
    count: int

    @property
    def label(self) -> str:
        spec = self._spec
        return str(spec.label) if spec and spec.label else self.step

    @property
    def writes(self) -> bool:
        spec = self._spec
        return bool(spec and spec.writes)

    @property
    def _spec(self) -> StepSpec | None:
        return _spec(self.workflow, self.step)


@dataclass(frozen=True)
class Waiting:
    """What would happen at once if the stand-by ended now."""

    steps: list[Due]
    tasks: int
    decisions: int
    turns: int
    outgoing: Outgoing

    @property
    def messages(self) -> int:
        return self.turns + self.outgoing.mails + self.outgoing.webhooks + self.outgoing.reminders


def waiting(now: datetime) -> Waiting:
    """Counted from the rows, as the sweep would find them."""
    going = Task.objects.filter(status__in=GOING, held=False)
    return Waiting(
        steps=list(_due(now)),
        tasks=going.count(),
        decisions=gate().undelivered(now)[0],
        turns=Task.objects.exclude(untold="").count(),
        outgoing=gate().outgoing(now),
    )


def lift(by: Actor, *, drop: bool, unsure: LookFirst) -> None:
    """Let it act. `drop`: what waited to be sent is settled unsent. Unless a person made it stand by, writes of all
    tasks are looked up before they are sent: the rows do not say what was done since the backup."""
    row = standby.state()
    now = timezone.now()
    if row is not None and row.why != Installation.Why.ASKED:
        _look_first(unsure, by if isinstance(by, str) else by.get_username())
    dropped = _drop(now) if drop else 0
    before = row and {"why": row.why, "since": row.since, "backup_at": row.backup_at}
    with transaction.atomic():
        standby.end(by, now)
        audit.record(
            by, "standby_lifted", Installation.objects.get(), before=before, after={"dropped": dropped}
        )
    hints.soon("taskboard.sweep", queue="short")


def _due(now: datetime) -> Iterator[Due]:
    running = {"task__status__in": CLAIMABLE, "task__held": False}
    due = Step.objects.due(now).filter(**running, task__out_of_budget=False)
    begun = Step.objects.filter(**running, status=StepStatus.STARTED)
    for status, steps in ((StepStatus.STARTED, begun), (StepStatus.PENDING, due)):
        counted = steps.order_by().values_list("task__workflow", "name").annotate(count=Count("id"))
        for name, step, count in counted.order_by("task__workflow", "name")[:MOST]:
            yield Due(name, step, status, count)


def _look_first(unsure: LookFirst, by: str) -> None:
    """Each in its own transaction: whoever was interrupted begins again."""
    text = "Restored: writes are looked up before they are sent."
    for pk in (
        Task.objects.filter(status__in=OPEN_TASKS).exclude(look_first=unsure).values_list("pk", flat=True)
    ):
        with lifecycle.changing(pk, by) as change:
            change.set(look_first=unsure)
            change.record(Kind.NOTE, data={"text": text, "unsure": unsure.value})
    Task.objects.exclude(status__in=OPEN_TASKS).update(look_first=unsure)


def _drop(now: datetime) -> int:
    turns = Task.objects.exclude(untold="")
    return turns.update(untold="") + gate().drop_outgoing(now)


def _spec(workflow_name: str, step: str) -> StepSpec | None:
    spec = workflow.find(workflow_name)
    return spec.known(step) if spec else None
