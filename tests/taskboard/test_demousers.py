"""demousers: three people to try things out with."""

import stat
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import RequestFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def var(settings: Any, tmp_path: Path) -> Path:
    settings.TASKBOARD_VAR = tmp_path
    settings.PRODUCTION = False
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return tmp_path


def test_each_can_log_in_with_the_password_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demousers")
    told = dict(line.split("\t") for line in capsys.readouterr().out.splitlines()[1:4])
    assert sorted(told) == ["admin", "manager", "ops"]
    for name, password in told.items():
        assert authenticate(RequestFactory().get("/"), username=name, password=password)


def test_they_are_in_their_groups() -> None:
    call_command("demousers")
    groups = dict(User.objects.values_list("username", "groups__name"))
    assert groups == {"ops": "Operators", "manager": "Managers", "admin": "Administrators"}
    assert list(User.objects.filter(is_staff=True).values_list("username", flat=True)) == ["admin"]
    assert not User.objects.filter(is_superuser=True).exists()


def test_the_passwords_are_kept_for_this_user_alone(var: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demousers")
    path = var / "passwords.txt"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text("utf-8") in capsys.readouterr().out


def test_those_who_are_there_are_left_alone(var: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("demousers")
    kept = (var / "passwords.txt").read_text("utf-8")
    hashes = list(User.objects.values_list("password", flat=True))
    capsys.readouterr()
    call_command("demousers")
    where = f"their passwords are in {var / 'passwords.txt'}"
    assert capsys.readouterr().out == f"The demo users are already there; {where}.\n"
    assert (var / "passwords.txt").read_text("utf-8") == kept
    assert list(User.objects.values_list("password", flat=True)) == hashes


def test_one_who_is_missing_is_added(var: Path) -> None:
    call_command("demousers")
    User.objects.get(username="ops").delete()
    call_command("demousers")
    assert (var / "passwords.txt").read_text("utf-8").count("ops\t") == 2


def test_they_are_refused_in_production(settings: Any) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="not made in production"):
        call_command("demousers")
    assert not User.objects.exists()
