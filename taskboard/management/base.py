"""What all commands share: errors as one sentence on stderr, tasks and people by name, JSON on stdout."""

import json
import os
import sys
from argparse import ArgumentParser
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from taskboard import standby
from taskboard.errors import BadInput, NotAllowed, NotFound, TaskboardError
from taskboard.models import Task

NO_TABLES = "The database is not prepared. Run `make up` or `manage.py migrate` first."
READER_GONE = 141
"""What a shell reports of a program whose reader (such as `head`) has left."""


class TaskboardCommand(BaseCommand):
    """A shell over a function: its sentence on stderr and exit code 1 when that refuses."""

    acts = False
    """Whether it does at once what workers do, and so not while the installation stands by."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            if self.acts:
                standby.refuse()
            told = super().execute(*args, **options)
            self.stdout.flush()
        except TaskboardError as error:
            raise CommandError(error.message) from error
        except DatabaseError as error:
            if _lacks_tables():
                raise CommandError(NO_TABLES) from error
            raise
        except BrokenPipeError:
            _drop_output()
            raise SystemExit(READER_GONE) from None
        return told

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


def read_secret(path: str) -> str:
    """The content of a file (-: of standard input): a secret does not belong in the list of processes."""
    try:
        told = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The secret cannot be read from {path!r}: {error}.") from error
    return told.strip()


def _lacks_tables() -> bool:
    """Whether migrations are missing; False as well if the database cannot be asked."""
    try:
        plan = MigrationExecutor(connection)
        return bool(plan.migration_plan(plan.loader.graph.leaf_nodes()))
    except DatabaseError:
        return False


def _drop_output() -> None:
    """What is still in the buffer goes nowhere, or Python complains of it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _plain(value: Any) -> str:
    return value.isoformat() if isinstance(value, (date, datetime)) else str(value)
