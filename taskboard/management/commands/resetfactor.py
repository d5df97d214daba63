"""`manage.py resetfactor mina --as admin`: without a second factor again, since the phone and the codes are gone."""

from argparse import ArgumentParser
from typing import Any

from taskboard.login import second_factor
from taskboard.management.base import TaskboardCommand, add_person, find_user
from taskboard.rights import require


class Command(TaskboardCommand):
    help = "Take somebody's second factor away; at the next log-in the password is enough, or a new one is set up."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        add_person(parser, "Who resets it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        user, actor = find_user(options["user"]), find_user(options["person"])
        require(actor, "auth.change_user")
        second_factor.forget(user, actor)
        self.stdout.write(f"{user} has no second factor any more.")
