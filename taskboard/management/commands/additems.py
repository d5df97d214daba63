"""`manage.py additems ID KEY … --as ops`, or `--csv FILE`: more items for a task that runs or has ended."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from taskboard.errors import BadInput, UnfitItems
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.outcomes import NewItem
from taskboard.steering import sheet
from taskboard.steering.items import add_items


class Command(TaskboardCommand):
    help = "Add items to a task. A CSV file names its columns in the first line; one of them is: key."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("key", nargs="*", metavar="KEY")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="UTF-8, with ; or , between the cells.")
        parser.add_argument("--workflow", default="", help="For an imported task whose document names none.")
        add_person(parser, "Who adds them.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        task, user = find_task(options["task"]), find_user(options["person"])
        rows = sheet.rows(_bytes(options["csv"])) if options["csv"] else []
        items = [*map(NewItem, options["key"]), *(row.item for row in rows)]
        try:
            added = add_items(task, items, user, workflow_name=options["workflow"])
        except UnfitItems as unfit:
            raise sheet.placed(unfit, rows) from unfit
        known = f"; {len(added.known)} were there already" if added.known else ""
        noun = "item" if added.number == 1 else "items"
        self.stdout.write(f"{added.number} {noun} added{known}.")


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
