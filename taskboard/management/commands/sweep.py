"""`manage.py sweep`: one round of what the scheduler triggers, for cron or by hand."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from taskboard.management.base import TaskboardCommand
from taskboard.sweep import sweep


class Command(TaskboardCommand):
    help = "One round: dead leases, due steps, decisions, expiries, notices."
    acts = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        found = asdict(sweep())
        if options["json"]:
            self.print_json(found)
        else:
            self.stdout.write(", ".join(f"{name} {number}" for name, number in found.items()))
