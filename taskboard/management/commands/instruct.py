"""`manage.py instruct ID "Leave the blog alone" --as ops`: tell a running task something; list, move, delete."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.models import Instruction, Task
from taskboard.steering import instructions


class Command(TaskboardCommand):
    help = "Tell a running task something; the next step that starts takes it up. Without text: list them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("text", nargs="?", default="", metavar="TEXT")
        what.add_argument("--move", nargs=2, type=int, metavar=("NUMBER", "PLACE"), help="1 is the first.")
        what.add_argument("--delete", type=int, metavar="NUMBER", help="Take a queued one back.")
        add_person(parser, "Who says so.")

    def handle(self, *args: Any, **options: Any) -> None:
        task = find_task(options["task"])
        if options["text"] or options["move"] or options["delete"] is not None:
            if not options["person"]:
                raise CommandError("Say whose instruction it is: --as USER.", returncode=2)
            _change(task, options)
        for one in Instruction.objects.filter(task=task):
            where = f"taken up by {one.taken_up_by}" if one.taken_up_at else "queued"
            self.stdout.write(f"{one.pk}. {one.added_by}, {where}: {one.text}")


def _change(task: Task, options: dict[str, Any]) -> None:
    user = find_user(options["person"])
    if options["move"]:
        instructions.reorder(task, user, *options["move"])
    elif options["delete"] is not None:
        instructions.delete(task, user, options["delete"])
    else:
        instructions.add(task, user, options["text"])
