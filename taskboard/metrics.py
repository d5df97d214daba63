"""Figures for Prometheus, read from the database when they are asked for.

So it does not matter which process answers, and none shares memory with another. Each figure costs a look-up in an
index: nothing here grows with the items of finished tasks.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max, Sum
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from taskboard import health, standby
from taskboard.gates import gate
from taskboard.models import Checkpoint, Freeze, Heartbeat, Step, Task
from taskboard.models.task import OPEN_TASKS


class Figures(Collector):
    """What is true at this moment."""

    def collect(self) -> Iterator[Metric]:
        now = timezone.now()
        yield from _tasks()
        yield from _queues(now)
        yield from _people(now)
        yield from _processes(now)

    def describe(self) -> Iterator[Metric]:
        """Registering must not ask the database."""
        return iter(())


def registry() -> CollectorRegistry:
    found = CollectorRegistry(auto_describe=False)
    found.register(Figures())
    return found


def _tasks() -> Iterator[Metric]:
    tasks = GaugeMetricFamily("taskboard_tasks", "Tasks by status.", labels=["status"])
    for status, count in Task.objects.order_by().values_list("status").annotate(count=Count("id")):
        tasks.add_metric([status], count)
    yield tasks
    steps = GaugeMetricFamily("taskboard_steps", "Steps of unfinished tasks by status.", labels=["status"])
    for status, count in sorted(_steps().items()):
        steps.add_metric([status], count)
    yield steps
    rows = Checkpoint.objects.aggregate(last=Max("id"))["last"] or 0
    yield CounterMetricFamily("taskboard_journal_rows", "Journal rows ever written: each move is one.", rows)
    begun = Step.objects.aggregate(last=Max("id"))["last"] or 0
    yield CounterMetricFamily("taskboard_steps_reached", "Steps that items ever reached.", begun)
    sums = Task.objects.filter(status__in=OPEN_TASKS).aggregate(
        spent=Sum("spent_micro"), kept=Sum("reserved_micro")
    )
    yield _gauge("taskboard_spent_usd", "Spent by unfinished tasks.", (sums["spent"] or 0) / 1_000_000)
    yield _gauge("taskboard_reserved_usd", "Set aside by unfinished tasks.", (sums["kept"] or 0) / 1_000_000)


def _steps() -> Counter[str]:
    """From the counters of each task, so that no step is counted."""
    found: Counter[str] = Counter()
    for counts in Task.objects.filter(status__in=OPEN_TASKS).values_list("counts", flat=True):
        for per in counts.get("steps", {}).values():
            found.update(per)
    return found


def _queues(now: datetime) -> Iterator[Metric]:
    state = health.look(now)
    yield _gauge("taskboard_due_steps", "Steps that a worker could begin now.", state.due_steps)
    about = "Seconds since when nothing is begun though steps are due."
    yield _gauge("taskboard_oldest_due_step_seconds", about, _age(state.oldest_due_at, now))
    yield _gauge("taskboard_undelivered_decisions", "Decisions that nobody has picked up.", state.undelivered)
    about = "Seconds that the oldest of them waits."
    yield _gauge(
        "taskboard_oldest_undelivered_decision_seconds", about, _age(state.oldest_undelivered_at, now)
    )


def _people(now: datetime) -> Iterator[Metric]:
    asked = gate().figures(now)
    yield _gauge("taskboard_open_questions", "Questions that wait for a person.", asked.open)
    about = "Seconds that the oldest of them waits."
    yield _gauge("taskboard_oldest_open_question_seconds", about, _age(asked.oldest, now))
    yield CounterMetricFamily("taskboard_questions", "Questions ever asked.", asked.asked)
    yield CounterMetricFamily("taskboard_answers", "Answers ever given by people.", asked.answered)
    waiting = gate().outgoing(now)
    unsent = GaugeMetricFamily("taskboard_unsent_messages", "Messages that wait to be sent.", labels=["kind"])
    for kind, number in (
        ("mail", waiting.mails),
        ("webhook", waiting.webhooks),
        ("reminder", waiting.reminders),
    ):
        unsent.add_metric([kind], number)
    yield unsent


def _processes(now: datetime) -> Iterator[Metric]:
    lately = now - timedelta(seconds=settings.TASKBOARD_SILENT_SECONDS)
    alive = Heartbeat.objects.filter(seen_at__gt=lately).order_by()
    seen = dict(alive.values_list("role").annotate(count=Count("id")))
    processes = GaugeMetricFamily("taskboard_processes", "Processes that were seen lately.", labels=["role"])
    for role in Heartbeat.Role:
        processes.add_metric([role.value], seen.get(role.value, 0))
    yield processes
    streams = alive.aggregate(sum=Sum("streams"))["sum"] or 0
    yield _gauge("taskboard_open_streams", "Live pages that browsers have open.", streams)
    yield _gauge(
        "taskboard_stands_by", "1 while the installation stands by.", int(standby.state() is not None)
    )
    yield _gauge(
        "taskboard_frozen_systems", "Outside systems that are frozen.", Freeze.objects.open().count()
    )


def _gauge(name: str, about: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, about, value=value)


def _age(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since else 0.0
