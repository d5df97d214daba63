"""`manage.py stopafter ID --step create_ticket --as ops`: where a task stops and is paused."""

from argparse import ArgumentParser
from typing import Any

from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.steering.stop import stop_after


class Command(TaskboardCommand):
    help = "Let a task stop behind a step, or after a number of items; with neither it goes on to its end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--step", default="", metavar="NAME", help="No step behind this one is begun.")
        parser.add_argument(
            "--items", type=int, default=0, metavar="NUMBER", help="No further item is begun."
        )
        add_person(parser, "Who says so.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        task, user = find_task(options["task"]), find_user(options["person"])
        stop_after(task, user, step=options["step"], items=options["items"])
        where = options["step"] or (f"{options['items']} items" if options["items"] else "its end")
        self.stdout.write(f"{task.public_id} goes on to {where}.")
