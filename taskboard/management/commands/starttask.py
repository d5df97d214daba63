"""`manage.py starttask seo-audit --param source=DIR --budget 20 --as ops`: a new task; last line: its id."""

from argparse import ArgumentParser
from typing import Any

from taskboard.errors import BadInput
from taskboard.management.base import TaskboardCommand, add_person, find_user
from taskboard.start import start_task


class Command(TaskboardCommand):
    help = "Start a task from a workflow. The last line printed is its id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow", help="Name of the workflow, such as seo-audit.")
        parser.add_argument(
            "--param", action="append", default=[], metavar="NAME=VALUE", help="A parameter; repeatable."
        )
        parser.add_argument("--budget", metavar="USD", help="Limit of what it may cost; none by default.")
        parser.add_argument("--goal", default="", help="One sentence on what it is for.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        add_person(parser, "Who starts it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["person"])
        params = dict(map(_pair, options["param"]))
        task = start_task(
            options["workflow"], params, user=user, limit_usd=options["budget"], goal=options["goal"]
        )
        if options["json"]:
            self.print_json({"task_id": task.public_id, "goal": task.goal, "status": task.status})
        else:
            self.stdout.write(f"{task.goal}\n{task.public_id}")


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput(f"--param wants NAME=VALUE, not {text!r}.")
    return name.strip(), value
