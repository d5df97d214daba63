"""`manage.py linksignon mina 248289761001 --as admin`: that subject of the provider is this person."""

from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from taskboard import audit
from taskboard.login.sign_on import link
from taskboard.management.base import TaskboardCommand, add_person, find_user
from taskboard.rights import require


class Command(TaskboardCommand):
    help = "Connect an account that exists to single sign-on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER")
        parser.add_argument("subject", metavar="SUBJECT", help="What the provider calls `sub`.")
        add_person(parser, "Who connects them.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        user, actor = find_user(options["user"]), find_user(options["person"])
        require(actor, "auth.change_user")
        with transaction.atomic():
            link(user, options["subject"])
            audit.record(actor, "user_changed", user, after={"single_sign_on": options["subject"]})
        self.stdout.write(f"{user} comes in by single sign-on from now on.")
