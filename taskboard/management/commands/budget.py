"""`manage.py budget ID 30 --as manager`: a new limit; `none` takes it away."""

from argparse import ArgumentParser
from typing import Any

from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.steering.steer import change_budget


class Command(TaskboardCommand):
    help = "Change what a task may cost."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("usd", metavar="USD", help="The new limit, or: none.")
        add_person(parser, "Who changes it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        task, user = find_task(options["task"]), find_user(options["person"])
        change_budget(task, user, None if options["usd"] == "none" else options["usd"])
        task.refresh_from_db()
        limit = "no limit" if task.limit_usd is None else f"a limit of {task.limit_usd} USD"
        self.stdout.write(f"{task.public_id} has {limit}; {task.spent_usd} USD are spent.")
