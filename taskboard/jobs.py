"""Celery shells over plain functions of the same name, ids only; and how a worker comes and goes."""

import threading
import time
from mmap import mmap
from typing import Any

from celery import shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutting_down

from taskboard import bulk as bulk_jobs
from taskboard import sweep as sweeping
from taskboard.engine import collector, presence, work
from taskboard.retention import automatic
from taskboard.retention import purge as purging

_told = mmap(-1, 1)
"""A byte that a worker shares with its children: they get no signal of their own."""
LISTEN_SECONDS = 0.2


@shared_task(name="taskboard.run_task", bind=True)
def run_task(job: Any, task_pk: int) -> None:
    run = work.run_beside if _came_by(job) == "short" else work.run_task
    run(task_pk)


@shared_task(name="taskboard.sweep")
def sweep() -> None:
    sweeping.sweep()


@shared_task(name="taskboard.purge")
def purge() -> None:
    purging.carry_on()


@shared_task(name="taskboard.purge_daily")
def purge_daily() -> None:
    automatic.tick()


@shared_task(name="taskboard.bulk")
def bulk(job_pk: int) -> None:
    bulk_jobs.carry_on(job_pk)


@worker_ready.connect
def say_that_it_is_alive(sender: Any, **_: Any) -> None:
    """Whoever works says so; and what the former process left behind is looked at at once."""
    only_short = set(sender.app.amqp.queues.consume_from) == {"short"}
    collector.spare()
    presence.keep_saying("resumer" if only_short else "worker", work.stopping)
    sender.app.send_task("taskboard.sweep")


@worker_shutting_down.connect
def claim_nothing_more(**_: Any) -> None:
    """What runs is finished and written; then the process ends."""
    work.stopping.set()
    _told[0] = 1


@worker_process_init.connect
def listen_to_the_parent(**_: Any) -> None:
    """A child of a worker with several processes hears in this way that all are to end."""
    collector.spare()
    threading.Thread(target=_listen, name="listening", daemon=True).start()


def _came_by(job: Any) -> str:
    """The queue of a message."""
    return str((job.request.delivery_info or {}).get("routing_key", ""))


def _listen() -> None:
    while not _told[0]:
        time.sleep(LISTEN_SECONDS)
    work.stopping.set()
