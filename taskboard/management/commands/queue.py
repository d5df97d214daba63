"""`manage.py queue`: the tasks that wait for their turn; change their order, or take one out."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from taskboard.errors import BadInput
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.numbers import whole
from taskboard.steering import queue


class Command(TaskboardCommand):
    help = "List the waiting tasks in their order, move one, or take one out."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--move", nargs=2, metavar=("ID", "POSITION"), help="1 is the next; needs --as.")
        what.add_argument("--remove", metavar="ID", help="Take it out, for good; needs --as.")
        parser.add_argument("--json", action="store_true", help="Print one JSON array.")
        add_person(parser, "Who changes the queue.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["move"] or options["remove"]:
            if not options["person"]:
                raise CommandError("Say who changes the queue: --as USER.", returncode=2)
            _change(options)
        line = [
            {
                "position": number,
                "task_id": task.public_id,
                "goal": task.goal,
                "created_by": task.created_by_name,
            }
            for number, task in enumerate(queue.waiting(), 1)
        ]
        if options["json"]:
            self.print_json(line)
            return
        for one in line:
            self.stdout.write(f"{one['position']}. {one['task_id']} ({one['created_by']}): {one['goal']}")
        if not line:
            self.stdout.write("No task waits.")


def _change(options: dict[str, Any]) -> None:
    user = find_user(options["person"])
    if options["remove"]:
        queue.remove(find_task(options["remove"]), user)
        return
    public_id, text = options["move"]
    if (place := whole(text)) is None:
        raise BadInput(f"A position is a number such as 1, not {text!r}.")
    queue.move(find_task(public_id), user, place)
