"""`manage.py exporttask ID [--out FILE] [--journal FILE]`: the task as one JSON document."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from taskboard import document
from taskboard.errors import BadInput
from taskboard.management.base import TaskboardCommand, find_task

PRINTED = Path("-")


class Command(TaskboardCommand):
    help = "Writes the state of a task as one JSON document, and its journal as JSON Lines if asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="where to; otherwise, or with -, printed"
        )
        parser.add_argument("--journal", type=Path, metavar="FILE", help="also write the journal there")

    def handle(self, *, task: str, out: Path | None, journal: Path | None, **options: Any) -> None:
        found = find_task(task)
        if journal == PRINTED:
            raise BadInput("Name a file for the journal: --journal FILE.")
        if journal:
            document.save_journal(found, journal)
        if out == PRINTED or not (out or journal):
            self.stdout.writelines(document.stream(found))
            return
        if out:
            document.save(found, out)
        for path in filter(None, (out, journal)):
            self.stdout.write(f"Wrote {path}.")
