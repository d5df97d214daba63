"""`manage.py setsecret ID token --from FILE --as ops`: another value for a secret parameter; by default from stdin."""

from argparse import ArgumentParser
from typing import Any

from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user, read_secret
from taskboard.steering import secret


class Command(TaskboardCommand):
    help = "Give a task another value for a secret parameter, or the one that an imported task came without."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", metavar="ID")
        parser.add_argument("name", metavar="NAME")
        parser.add_argument(
            "--from", dest="path", default="-", metavar="FILE", help="Standard input by default."
        )
        add_person(parser, "Who gives it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        task, user = find_task(options["task"]), find_user(options["person"])
        secret.replace(task, user, options["name"], read_secret(options["path"]))
        self.stdout.write(
            f"{task.public_id} has a new value for {options['name']}; steps that begin now use it."
        )
