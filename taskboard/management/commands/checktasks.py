"""`manage.py checktasks [ID]`: do counters, money and journal agree with the rows?"""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from taskboard.management.base import TaskboardCommand, find_task
from taskboard.models import Task
from taskboard.recount import differences


class Command(TaskboardCommand):
    help = (
        "Counts the rows of tasks again, folds their journals, and prints each difference; then exit code 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", nargs="?", metavar="ID", help="only this task")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *, task: str | None, json: bool, **options: Any) -> None:
        tasks = [find_task(task)] if task else Task.objects.order_by("id").iterator()
        checked, found = 0, []
        for checked, one in enumerate(tasks, 1):  # noqa: B007
            for difference in differences(one):
                found.append({"task": one.public_id, "difference": str(difference)})
                if not json:
                    self.stdout.write(f"{one.public_id}: {difference}")
        if json:
            self.print_json({"tasks": checked, "differences": found})
        if found:
            raise CommandError(f"{len(found)} differences in {checked} tasks.")
        if not json:
            self.stdout.write(f"All {checked} tasks agree.")
