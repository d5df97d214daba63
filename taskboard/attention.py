"""What needs a person, across all tasks: unknown outcomes, changes that may be there twice, blocked steps, failures
by their cause, tasks that stand still or cannot go on as a whole, decisions that nobody picks up. Whatever is oldest
comes first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from taskboard import health
from taskboard.gates import gate
from taskboard.models import AttentionTaken, Item, ItemStatus, Risk, Step, StepStatus, Task, TaskStatus
from taskboard.models.task import OPEN_TASKS

MOST = 100
MOST_COUNTED = 100
LATELY = timedelta(hours=1)
MOST_BEGUN = 1000
STEP, CAUSE, STILL = "step", "cause", "still"
TWICE = Risk.objects.filter(raised_by=Risk.BY_ENGINE, closed_at=None)
"""The changes outside that may be there twice, until a person has looked."""
NEEDY = (
    Q(status__in=(TaskStatus.BLOCKED, TaskStatus.FAILED))
    | Q(status__in=(*OPEN_TASKS, TaskStatus.COMPLETED), stuck_items__gt=0)
    | Q(pk__in=TWICE.order_by().values("task"), archived=False)
)
"""The tasks that need a person: the page shows why, the list has a tab of them, the navigation their number."""
Viewer = AbstractBaseUser | AnonymousUser


@dataclass(frozen=True)
class Retried:
    """Steps that failed and are tried again later, and when the next one is."""

    count: int = 0
    due_at: datetime | None = None


@dataclass(frozen=True)
class Attention:
    """The lists, each at most `MOST` long, with how many there are in all, and who has taken what."""

    unknown: Sequence[Step]
    unknown_count: int
    twice: Sequence[Risk]
    twice_count: int
    blocked: Sequence[Step]
    blocked_count: int
    failures: Sequence[dict[str, Any]]
    failure_count: int
    still: Sequence[Task]
    still_count: int
    stopped: Sequence[Task]
    stopped_count: int
    undelivered: int
    undelivered_since: datetime | None
    taken: Mapping[tuple[str, str], AttentionTaken]
    retried: Retried

    @property
    def is_empty(self) -> bool:
        steps = self.unknown or self.twice or self.blocked or self.failures
        return not (steps or self.still or self.stopped or self.undelivered)


def look(user: Viewer, now: datetime) -> Attention:
    """Ten queries, however much there is."""
    tasks = Task.objects.visible_to(user)
    steps = Step.objects.needy().filter(task__in=tasks.exclude(status=TaskStatus.CANCELLED))
    counts = steps.values("status").annotate(count=Count("id")).order_by("status")
    number = {row["status"]: row["count"] for row in counts}
    unknown, blocked = _oldest(steps, StepStatus.UNKNOWN), _oldest(steps, StepStatus.BLOCKED)
    failures, still = _by_cause(steps, now), list(standing_still(tasks, now)[: MOST + 1])
    stopped = list(stopped_as_a_whole(tasks)[: MOST + 1])
    twice = list(may_be_twice(tasks)[: MOST + 1])
    count, since = gate().undelivered(now)
    late = health.is_overdue(since, now)
    keys = [key for _kind, key in _names(unknown, blocked, failures, still)]
    return Attention(
        unknown, number.get(StepStatus.UNKNOWN, 0), twice[:MOST], len(twice), blocked,
        number.get(StepStatus.BLOCKED, 0), failures, number.get(StepStatus.FAILED, 0), still[:MOST], len(still),
        stopped[:MOST], len(stopped), count if late else 0, since if late else None, taken(keys),
        retried(tasks, now),
    )  # fmt: skip


def count() -> int:
    """How many tasks need a person, counted up to a hundred: for the navigation."""
    return Task.objects.filter(NEEDY).order_by()[:MOST_COUNTED].count()


def is_needy(task: Task) -> bool:
    """Whether the page has something of this task that stops it."""
    stopped = task.status in (TaskStatus.BLOCKED, TaskStatus.FAILED)
    return stopped or (bool(task.stuck_items) and task.status in (*OPEN_TASKS, TaskStatus.COMPLETED))


def retried(tasks: "QuerySet[Task]", now: datetime) -> Retried:
    """Looked for among the first items that have begun, so that it costs the same however many there are."""
    going = tasks.filter(status__in=(TaskStatus.RUNNING, TaskStatus.WAITING), held=False)
    begun = Item.objects.filter(task__in=going.order_by(), status=ItemStatus.RUNNING).order_by()
    later = Step.objects.filter(status=StepStatus.PENDING, failures__gt=0, due_at__gt=now)
    found = later.filter(item__in=begun.values("pk")[:MOST_BEGUN])
    return Retried(**found.aggregate(count=Count("id"), due_at=Min("due_at")))


def retried_of(task: Task, now: datetime) -> Retried:
    """The same of one task; asked only where its counters say that there may be some."""
    if not (task.steps_in(StepStatus.PENDING) and task.item_counts.get(ItemStatus.RUNNING)):
        return Retried()
    return retried(Task.objects.filter(pk=task.pk), now)


def taken(keys: Iterable[str]) -> dict[tuple[str, str], AttentionTaken]:
    """Who has taken which of these rows."""
    rows = AttentionTaken.objects.filter(kind__in=(STEP, CAUSE, STILL), key__in=list(keys))
    return {(row.kind, row.key): row for row in rows}


def fingerprint(now: datetime) -> str:
    """Differs once a page that was opened with another one is old."""
    needy = Step.objects.needy().order_by("status").values_list("status")
    counts = [".".join(map(str, row)) for row in needy.annotate(count=Count("id"), which=Sum("id"))]
    last = AttentionTaken.objects.aggregate(last=Max("pk"), at=Max("at"), count=Count("id"))
    still = standing_still(Task.objects.all(), now).count()
    stopped = stopped_as_a_whole(Task.objects.all()).aggregate(count=Count("id"), which=Sum("id"))
    twice = TWICE.aggregate(count=Count("id"), which=Sum("id"))
    rest = (*last.values(), still, *stopped.values(), *twice.values())
    return ".".join([*counts, *map(str, rest)])


def may_be_twice(tasks: "QuerySet[Task]") -> "QuerySet[Risk]":
    """What may have been done twice outside, oldest first."""
    return TWICE.filter(task__in=tasks.filter(archived=False)).select_related("task", "item").order_by("pk")


def standing_still(tasks: "QuerySet[Task]", now: datetime) -> "QuerySet[Task]":
    """Running ones of which nothing was written for too long."""
    before = now - timedelta(minutes=settings.TASKBOARD_STILL_MINUTES)
    return tasks.filter(status=TaskStatus.RUNNING, held=False, updated_at__lt=before).order_by("updated_at")


def stopped_as_a_whole(tasks: "QuerySet[Task]") -> "QuerySet[Task]":
    """Those that no step speaks for: they wait for more budget, or their source could not be read."""
    unread = tasks.filter(status=TaskStatus.FAILED, items_read=False)
    return (out_of_budget(tasks) | unread).order_by("updated_at")


def out_of_budget(tasks: "QuerySet[Task]") -> "QuerySet[Task]":
    return tasks.filter(status=TaskStatus.BLOCKED, out_of_budget=True)


def key_of_step(step: Step) -> str:
    """Another attempt is another matter."""
    return f"{step.pk}:{step.attempt}:{step.status}"


def key_of_cause(group: Mapping[str, Any]) -> str:
    return f"{group['task__public_id']}|{group['name']}|{group['error_class']}"


def key_of_task(task: Task) -> str:
    """A task that moved in between stands still anew."""
    return f"{task.public_id}:{task.last_ordinal}"


def _names(
    unknown: Iterable[Step], blocked: Iterable[Step], causes: Iterable[dict[str, Any]], still: Iterable[Task]
) -> list[tuple[str, str]]:
    steps = [(STEP, key_of_step(step)) for some in (unknown, blocked) for step in some]
    return [
        *steps,
        *((CAUSE, key_of_cause(one)) for one in causes),
        *((STILL, key_of_task(t)) for t in still),
    ]


def _oldest(steps: "QuerySet[Step]", status: StepStatus) -> list[Step]:
    found = steps.filter(status=status).select_related("item", "task").order_by("started_at", "pk")
    return list(found[:MOST])


def _by_cause(steps: "QuerySet[Step]", now: datetime) -> list[dict[str, Any]]:
    """One line per task, step and class of error: messages differ where the cause is the same."""
    failed = steps.filter(status=StepStatus.FAILED)
    groups = failed.values("task__public_id", "task__goal", "task__workflow", "name", "error_class").annotate(
        count=Count("id"), latest=Max("finished_at"), first=Min("finished_at"), example=Max("error"),
        example_key=Max("item__key"), lately=Count("id", filter=Q(finished_at__gt=now - LATELY)),
    )  # fmt: skip
    return list(groups.order_by("first", "task__public_id", "name", "error_class")[:MOST])
