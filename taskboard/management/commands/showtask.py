"""`manage.py showtask ID [--json]`: where a task stands."""

from typing import Any

from django.core.management.base import CommandParser

from taskboard import summary
from taskboard.management.base import TaskboardCommand, find_task


class Command(TaskboardCommand):
    help = "Prints where a task stands: progress, budget, open questions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--json", action="store_true", help="print one JSON value")

    def handle(self, *, task: str, json: bool, **options: Any) -> None:
        values = summary.as_values(find_task(task))
        if json:
            self.print_json(values)
        else:
            self.stdout.writelines(f"{line}\n" for line in summary.as_lines(values))
