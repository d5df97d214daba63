"""What all commands share: errors as one sentence on stderr, tasks and people by name, JSON on stdout."""

import json
from argparse import ArgumentParser
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from taskboard.errors import NotAllowed, NotFound, TaskboardError
from taskboard.models import Task


class TaskboardCommand(BaseCommand):
    """A shell over a function: its sentence on stderr and exit code 1 when that refuses."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except TaskboardError as error:
            raise CommandError(error.message) from error

    def print_json(self, value: Any) -> None:
        """Exactly one JSON value; times in ISO 8601, amounts and other values as text."""
        self.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def add_person(parser: ArgumentParser, why: str, *, required: bool = False) -> None:
    """`--as USER`, in the options as `person`; look it up with `find_user`."""
    parser.add_argument("--as", dest="person", metavar="USER", required=required, help=why)


def find_task(public_id: str) -> Task:
    """The task of that id; raises NotFound with a sentence."""
    task = Task.objects.filter(public_id=public_id).first()
    if task is None:
        raise NotFound(f"There is no task {public_id!r}.")
    return task


def find_user(name: str) -> User:
    """The active user of that name; raises NotFound or NotAllowed with a sentence."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise NotFound(f"There is no user {name!r}.")
    if not user.is_active:
        raise NotAllowed(f"The user {name!r} is switched off.")
    return user


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, (date, datetime)) else str(value)
