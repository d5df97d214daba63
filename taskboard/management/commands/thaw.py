"""`manage.py thaw tracker --as admin`: what waited for that system goes on, the oldest task first."""

from argparse import ArgumentParser
from typing import Any

from taskboard import freeze
from taskboard.management.base import TaskboardCommand, add_person, find_user


class Command(TaskboardCommand):
    help = "Let what waits for a frozen system go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", metavar="SYSTEM")
        parser.add_argument("--reason", default="", help="Kept in the audit log.")
        add_person(parser, "Who thaws it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        row = freeze.thaw(options["system"], find_user(options["person"]), options["reason"])
        self.stdout.write(f"{row.system} is thawed: what waited goes on.")
