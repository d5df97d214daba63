"""`manage.py exporttask ID [--out FILE] [--journal FILE]`: the task as one JSON document."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from taskboard import document
from taskboard.management.base import TaskboardCommand, find_task


class Command(TaskboardCommand):
    help = "Writes the state of a task as one JSON document, and its journal as JSON Lines if asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--out", type=Path, metavar="FILE", help="where to; otherwise it is printed")
        parser.add_argument("--journal", type=Path, metavar="FILE", help="also write the journal there")

    def handle(self, *, task: str, out: Path | None, journal: Path | None, **options: Any) -> None:
        found = find_task(task)
        if out:
            document.save(found, out)
        if journal:
            document.save_journal(found, journal)
        if not out and not journal:
            self.stdout.writelines(document.stream(found))
        for path in filter(None, (out, journal)):
            self.stdout.write(f"Wrote {path}.")
