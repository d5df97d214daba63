"""`manage.py brief ID`: the brief as it reads now; add a line, or compare it with the last one."""

from argparse import ArgumentParser
from difflib import unified_diff
from typing import Any

from django.core.management.base import CommandError

from taskboard.errors import NotFound
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.resume import brief
from taskboard.steering.brief_line import add_line


class Command(TaskboardCommand):
    help = "Print the brief of a task: what the next step after a resume is told."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--add", default="", metavar="TEXT", help="A line to keep in it; needs --as.")
        parser.add_argument("--last", action="store_true", help="The last one that was kept, instead of now.")
        parser.add_argument("--diff", action="store_true", help="What changed since the last one was kept.")
        add_person(parser, "Who adds the line.")

    def handle(self, *args: Any, **options: Any) -> None:
        task = find_task(options["task"])
        if options["add"]:
            if not options["person"]:
                raise CommandError("Say whose line it is: --as USER.", returncode=2)
            self.stdout.write(add_line(task, find_user(options["person"]), options["add"]))
        elif options["last"] or options["diff"]:
            now = brief.write(task)
            last = (options["diff"] and brief.last_other(task, now)) or brief.last_kept(task)
            if last is None:
                raise NotFound(f"No brief of {task.public_id} was kept yet; one is with every resume.")
            self.stdout.write(_diff(last.text, now) if options["diff"] else last.text)
        else:
            self.stdout.write(brief.write(task))


def _diff(before: str, after: str) -> str:
    return "\n".join(unified_diff(before.splitlines(), after.splitlines(), "last", "now", lineterm=""))
