"""`manage.py backup FILE`: the database and the stored files in one file, while everything runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from taskboard.backup import pack
from taskboard.management.base import TaskboardCommand


class Command(TaskboardCommand):
    help = "Write database, artifacts and archives into one file (.tar, or .tar.gz to have it packed)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="Where to; it must not exist yet.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        target: Path = options["file"].expanduser().absolute()
        if target.exists():
            raise CommandError(f"{target} exists already; choose another name.")
        if not target.parent.is_dir():
            raise CommandError(f"There is no folder {target.parent}.")
        made = pack.write(target, "command line")
        told = {"file": str(target), "made_at": made.made_at, "files": made.files, "bytes": made.size}
        if options["json"]:
            self.print_json(told)
        else:
            files = "file" if made.files == 1 else "files"
            self.stdout.write(f"{target}: the database and {made.files} {files}, {made.size} bytes, checked.")
