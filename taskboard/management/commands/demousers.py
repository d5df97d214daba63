"""`manage.py demousers`: three people to try things out with."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import CommandError
from django.db import transaction

from taskboard.management.base import TaskboardCommand

PEOPLE = {"ops": "Operators", "manager": "Managers", "admin": "Administrators"}


class Command(TaskboardCommand):
    help = "Makes the users ops, manager and admin with random passwords, where they are missing."

    def handle(self, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("Demo users are not made in production: create your own with createadmin.")
        path, made = settings.TASKBOARD_VAR / "passwords.txt", []
        with transaction.atomic():
            missing = [name for name in PEOPLE if not User.objects.filter(username=name).exists()]
            made = [(name, _make(name)) for name in missing]
            if made:
                _keep(path, made)
        if made:
            self.stdout.write("Log in with one of these names and passwords:")
        for name, password in made:
            self.stdout.write(f"{name}\t{password}")
        self.stdout.write(f"Kept in {path}." if made else _already(path))


def _already(path: Path) -> str:
    where = (
        f"their passwords are in {path}" if path.exists() else "manage.py changepassword gives new passwords"
    )
    return f"The demo users are already there; {where}."


def _make(name: str) -> str:
    password = secrets.token_urlsafe(12)
    user = User.objects.create_user(name, f"{name}@localhost", password, is_staff=name == "admin")
    user.groups.add(Group.objects.get(name=PEOPLE[name]))
    return password


def _keep(path: Path, made: Sequence[tuple[str, str]]) -> None:
    """Readable for this user alone, from its first byte on; earlier passwords stay."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123
        os.fchmod(descriptor, 0o600)
        file.writelines(f"{name}\t{password}\n" for name, password in made)
