"""`manage.py risks ID`: the open risks of a task; close one with a reason."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.steering import risks


class Command(TaskboardCommand):
    help = "List the open risks of a task, or close one."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("--close", type=int, metavar="NUMBER", help="Needs --why and --as.")
        parser.add_argument("--why", default="", metavar="TEXT")
        add_person(parser, "Who closes it.")

    def handle(self, *args: Any, **options: Any) -> None:
        task = find_task(options["task"])
        if options["close"] is not None:
            if not options["person"]:
                raise CommandError("Say who closes it: --as USER.", returncode=2)
            risks.close(risks.find(task, options["close"]), find_user(options["person"]), options["why"])
        found = list(risks.opened(task))
        for risk in found:
            place = f" at {risk.item.key}" if risk.item else ""
            self.stdout.write(f"{risk.pk}. {risk.severity}{place}: {risk.text} ({risk.raised_by})")
        if not found:
            self.stdout.write("No risk is open.")
