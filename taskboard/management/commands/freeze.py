"""`manage.py freeze tracker --reason "It is moved" --as ops`: no writes to it; without a name: how all stand."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from taskboard import freeze
from taskboard.management.base import TaskboardCommand, add_person, find_user


class Command(TaskboardCommand):
    help = "Begin no step that writes to an outside system, or list the systems."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", metavar="SYSTEM", nargs="?", help="Without one, all are listed.")
        parser.add_argument("--reason", default="", help="Everybody sees it until the system is thawed.")
        parser.add_argument("--json", action="store_true", help="List as one JSON array.")
        add_person(parser, "Who freezes it.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["system"]:
            if not options["person"]:
                raise CommandError("Say who freezes it: --as USER.", returncode=2)
            freeze.freeze(options["system"], find_user(options["person"]), options["reason"])
        found = [one for one in freeze.systems() if options["system"] in (None, one.name)]
        if options["json"]:
            self.print_json([_values(one) for one in found])
            return
        for one in found:
            self.stdout.write(_line(one))
        if not found:
            self.stdout.write("No workflow names a system that it writes to.")


def _values(system: freeze.System) -> dict[str, Any]:
    held = system.freeze
    return {
        "system": system.name,
        "frozen": held is not None,
        "since": held and held.frozen_at,
        "by": held and held.frozen_by,
        "reason": held and held.reason,
        "in_flight": system.flying_count,
        "waiting": [{"task_id": task.public_id, "steps": number} for task, number in system.waiting],
    }


def _line(system: freeze.System) -> str:
    flying = f"steps in flight: {system.flying_count}"
    if system.freeze is None:
        return f"{system.name}: open; {flying}."
    held = system.freeze
    return (
        f"{system.name}: frozen by {held.frozen_by} since {held.frozen_at:%Y-%m-%d %H:%M} UTC ({held.reason});"
        f" {flying}; tasks that wait: {system.waiting_count}."
    )
