"""One worker process of ours: `python -m bench.ours prepare N` or `python -m bench.ours work ID`; one JSON line."""

import json
import os
import resource
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.db import connection  # noqa: E402

from bench.noop import new_task  # noqa: E402
from taskboard.engine import collector, read, work  # noqa: E402
from taskboard.models import Task  # noqa: E402


def prepare(items: int) -> dict[str, object]:
    """A task whose items are read and that may run."""
    began = time.perf_counter()
    task = new_task(items)
    read.read_items(task.pk, work.stopping)
    return {"pk": task.pk, "seconds": time.perf_counter() - began, "mb": _most_memory()}


def work_on(pk: int) -> dict[str, object]:
    """Until nothing is left, as a worker does; time, CPU and commits of this process alone."""
    collector.spare()
    before, began = _cpu(), time.perf_counter()
    commits = _count_commits()
    work.Slice(pk, until=time.monotonic() + 3600).run()
    seconds, cpu = time.perf_counter() - began, _cpu() - before
    task = Task.objects.get(pk=pk)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "commits": commits[0],
        "mb": _most_memory(),
        "status": task.status,
        "counts": task.step_counts,
    }


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _count_commits() -> list[int]:
    """Counts the write transactions of this process's main connection."""
    count, real = [0], connection._commit  # type: ignore[attr-defined]

    def counting() -> None:
        count[0] += 1
        real()

    connection._commit = counting  # type: ignore[attr-defined]
    return count


if __name__ == "__main__":
    verb, number = sys.argv[1], int(sys.argv[2])
    print(json.dumps({"prepare": prepare, "work": work_on}[verb](number)))
