"""`manage.py showtask ID [--json]`: where a task stands."""

from typing import Any

from django.core.management.base import CommandParser

from taskboard import summary, wording
from taskboard.management.base import TaskboardCommand, find_task
from taskboard.models import TaskStatus

STILL = (TaskStatus.BLOCKED, TaskStatus.WAITING)


class Command(TaskboardCommand):
    help = "Prints where a task stands: progress, budget, open questions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--json", action="store_true", help="print one JSON value")

    def handle(self, *, task: str, json: bool, **options: Any) -> None:
        found = find_task(task)
        values = summary.as_values(found)
        if json:
            self.print_json(values)
        else:
            why = wording.why(found) if found.status in STILL and not found.held else ""
            self.stdout.writelines(f"{line}\n" for line in summary.as_lines(values, why))
