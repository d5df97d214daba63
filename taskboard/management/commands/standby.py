"""`manage.py standby`: whether this installation stands by, what it would do, and the end of it."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from taskboard import lifting, standby
from taskboard.lifting import Waiting
from taskboard.management.base import TaskboardCommand, add_person, find_user
from taskboard.models.task import LookFirst


class Command(TaskboardCommand):
    help = "Say whether this installation stands by (after a restore), and what it would do; or change that."

    def add_arguments(self, parser: ArgumentParser) -> None:
        do = parser.add_mutually_exclusive_group()
        do.add_argument("--lift", action="store_true", help="Let it work.")
        do.add_argument(
            "--begin", metavar="REASON", help="Make it stand by: nothing begins, nothing is sent."
        )
        parser.add_argument(
            "--send-old", action="store_true", help="With --lift: send the mails and webhooks that waited."
        )
        parser.add_argument(
            "--send-unsure",
            action="store_true",
            help="With --lift: do writes that cannot be looked up, instead of asking a person about each.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        add_person(parser, "Who does it, for the audit log.")

    def handle(self, *args: Any, **options: Any) -> None:
        by = find_user(options["person"]) if options["person"] else "command line"
        if options["lift"]:
            unsure = LookFirst.SEND if options["send_unsure"] else LookFirst.ASK
            lifting.lift(by, drop=not options["send_old"], unsure=unsure)
        elif options["begin"] is not None:
            standby.begin(by, options["begin"])
        found = lifting.waiting(timezone.now())
        if options["json"]:
            self.print_json({"stands_by": bool(standby.state()), "why": standby.told(), **_values(found)})
        else:
            self._say(found)

    def _say(self, found: Waiting) -> None:
        self.stdout.write(standby.told() or "It works.")
        for due in found.steps:
            self.stdout.write(f"{due.workflow}.{due.step}: {due.count} {_does(due)}")
        self.stdout.write(f"decisions to hand over: {found.decisions}, messages to send: {found.messages}")


def _does(due: lifting.Due) -> str:
    return "begun, looked up" if due.status == "started" else "due, writes" if due.writes else "due, reads"


def _values(found: Waiting) -> dict[str, Any]:
    steps = [
        {
            "workflow": due.workflow,
            "step": due.step,
            "status": due.status,
            "writes": due.writes,
            "count": due.count,
        }
        for due in found.steps
    ]
    told = {"tasks": found.tasks, "decisions": found.decisions, "turns": found.turns}
    return {"steps": steps, **told, **vars(found.outgoing)}
