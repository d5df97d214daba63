"""`manage.py importtask FILE [--as USER]`: a document becomes a task that waits to be resumed, an archive one
to be looked at."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from taskboard import document, workflow
from taskboard.errors import NotAllowed
from taskboard.management.base import TaskboardCommand, add_person, find_user
from taskboard.retention import reading
from taskboard.rights import OPERATE


class Command(TaskboardCommand):
    help = (
        "Stores the state document of a task; nothing of it runs until a person resumes the task. The archive that a"
        " purge wrote (.json.gz) is stored to be looked at."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        add_person(parser, "who imports it; the journal keeps the name")

    def handle(self, *, file: Path, person: str | None, **options: Any) -> None:
        if person and not find_user(person).has_perm(OPERATE):
            raise NotAllowed(f"The user {person!r} may not import tasks.")
        if reading.is_archive(file):
            self._archive(file, person or "importtask")
            return
        task = document.load(document.read(file), actor=person or "importtask")
        if workflow.find(task.workflow) is None:
            self.stderr.write(_unknown(task.workflow))
        if missing := sum(task.unlisted.values()):
            items = "item is" if missing == 1 else "items are"
            self.stdout.write(f"{missing} {items} counted, but not listed in this document.")
        if task.held:
            self.stdout.write("Nothing of it runs until a person resumes it.")
        self.stdout.write(task.public_id)

    def _archive(self, file: Path, actor: str) -> None:
        task = reading.load(file, actor)
        if reading.is_as_recorded(file, task.public_id) is False:
            self.stderr.write(
                "This is not the file that the purge record here names: it was made elsewhere, or changed."
            )
        self.stdout.write("It can be looked at for a week; nothing of it can be changed or run.")
        self.stdout.write(task.public_id)


def _unknown(name: str) -> str:
    if not name:
        return "The document names no workflow; say which when you resume it: resume ID --workflow NAME."
    return f"There is no workflow {name!r} here: the task is stored, but cannot go on before there is one."
