"""`manage.py restore FILE`: a backup becomes this installation, which then stands by."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command

from taskboard import audit
from taskboard.backup import unpack
from taskboard.backup.manifest import Manifest
from taskboard.management.base import TaskboardCommand

NEXT = """It stands by: no step begins, and nothing is sent.
Look at it, then let it work: manage.py standby, or the page Stand-by."""


class Command(TaskboardCommand):
    help = "Put a backup into an empty database. What comes up stands by until an administrator lifts that."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="What `manage.py backup` wrote.")
        parser.add_argument("--check", action="store_true", help="Only read it and compare every hash.")
        parser.add_argument(
            "--replace",
            action="store_true",
            help="Remove what is in the database; it cannot be brought back.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        source: Path = options["file"].expanduser().absolute()
        if options["check"]:
            self.stdout.write(f"{_named(unpack.check(source))} is whole.")
            return
        made = unpack.restore(source, replace=options["replace"])
        call_command("migrate", verbosity=0, interactive=False)
        audit.record("command line", "restore", ("backup", source.name), before={"made_at": made.made_at})
        self.stdout.write(f"{_named(made)} was restored.\n{NEXT}")


def _named(made: Manifest) -> str:
    return f"The backup of {made.made_at:%Y-%m-%d %H:%M:%S} UTC ({made.database}, {made.files} files)"
