"""`manage.py work --until-idle`: what a worker does, in this process, without Celery."""

import signal
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from taskboard.engine import presence, work
from taskboard.management.base import TaskboardCommand, find_task
from taskboard.models import Heartbeat


class Command(TaskboardCommand):
    help = "Work on tasks in this process until nothing can be claimed (or until it is stopped)."
    acts = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--until-idle", action="store_true", help="End when nothing can be claimed.")
        parser.add_argument("--task", metavar="ID", help="Only this task.")

    def handle(self, *args: Any, **options: Any) -> None:
        task_pk = find_task(options["task"]).pk if options["task"] else None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _stop)
        work.stopping.clear()
        presence.keep_saying(Heartbeat.Role.WORKER, work.stopping)
        work.until_idle(task_pk)
        while not options["until_idle"] and not work.stopping.wait(1.0):
            work.until_idle(task_pk)


def _stop(number: int, frame: FrameType | None) -> None:
    work.stopping.set()
