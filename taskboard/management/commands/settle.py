"""`manage.py settle KEY happened --external-id T-12 --as ops`: settle an outcome that is not known."""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from taskboard import desk
from taskboard.errors import BadInput
from taskboard.management.base import TaskboardCommand, add_person, find_user

VERBS = ("happened", "did-not-happen", "give-up")


class Command(TaskboardCommand):
    help = "Say what became of a step whose outcome is unknown."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("step", nargs="+", metavar="STEP", help="Its key, or: TASK ITEM STEP.")
        parser.add_argument("verb", choices=VERBS)
        parser.add_argument("--external-id", default="", metavar="X", help="With happened: the id outside.")
        parser.add_argument(
            "--key", default="", help="With did-not-happen: its key, if it is named by three words."
        )
        parser.add_argument(
            "--output", action="append", default=[], metavar="NAME=TEXT",
            help="With happened: what later steps need to know, where the workflow asks for it.",
        )  # fmt: skip
        parser.add_argument("--reason", default="", metavar="T", help="Why; needed to give up.")
        add_person(parser, "Who says so.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        user, words, reason = find_user(options["person"]), options["step"], options["reason"]
        step = desk.find(words)
        key = options["key"] or (words[0] if len(words) == 1 else "")
        if options["verb"] == "happened":
            desk.happened(step, user, options["external_id"], reason, _pairs(options["output"]))
        elif options["verb"] == "give-up":
            desk.give_up(step, user, reason)
        elif not key:
            raise BadInput(f"Say which key may run again: --key {step.idempotency_key}")
        else:
            desk.did_not_happen(step, user, key, reason)
        step.refresh_from_db()
        self.stdout.write(f"{step.item.key}.{step.name} is {step.status}.")


def _pairs(told: Sequence[str]) -> dict[str, str]:
    for pair in told:
        if "=" not in pair:
            raise BadInput(f"Write --output NAME=TEXT, not {pair!r}.")
    return {name: text for name, _equals, text in (pair.partition("=") for pair in told)}
