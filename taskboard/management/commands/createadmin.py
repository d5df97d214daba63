"""`manage.py createadmin anna --mail anna@example.org`: the first administrator, or another one."""

import getpass
import secrets
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from taskboard import people
from taskboard.errors import BadInput
from taskboard.management.base import TaskboardCommand

VARIABLE = "TASKBOARD_ADMIN_PASSWORD"
ACTOR = "manage.py createadmin"


class Command(TaskboardCommand):
    help = (
        "Makes a person who may administer: in the group Administrators, and let into the admin. The password is"
        f" asked for, or taken from {VARIABLE}, or made up and shown once with --generate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="The name to log in with.")
        parser.add_argument("--mail", default="", metavar="ADDRESS", help="Where mails to this person go.")
        parser.add_argument("--generate", action="store_true", help="Make a password up and print it once.")
        parser.add_argument(
            "--if-none", action="store_true", help="Do nothing if somebody administers already."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["if_none"] and people.administrators().exists():
            self.stdout.write("There is an administrator already; nothing was done.")
            return
        password = secrets.token_urlsafe(15) if options["generate"] else _password()
        person = people.make_administrator(options["name"], options["mail"], password, ACTOR)
        self.stdout.write(f"{person.username} can log in now and administer.")
        if options["generate"]:
            self.stdout.write(f"The password, shown only this once: {password}")


def _password() -> str:
    if settings.TASKBOARD_ADMIN_PASSWORD:
        return str(settings.TASKBOARD_ADMIN_PASSWORD)
    if not sys.stdin.isatty():
        raise BadInput(f"Nobody can be asked for a password here: set {VARIABLE}, or use --generate.")
    password = getpass.getpass("Password: ")
    if password != getpass.getpass("Password (again): "):
        raise BadInput("The two passwords are not the same. Nothing was done.")
    return password
