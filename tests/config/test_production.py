"""Production refuses to start half configured, in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT

KEY = "k" * 30 + "0123456789" * 3
COMPLETE = {"TASKBOARD_ENV": "production", "SECRET_KEY": KEY, "ALLOWED_HOSTS": "tasks.example.org"}


def start(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, "TASKBOARD_VAR": str(folder), "TASKBOARD_DOTENV": os.devnull, **env}
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True)


def test_it_starts_without_a_warning_when_complete(tmp_path: Path) -> None:
    result = start(tmp_path, **COMPLETE)
    assert (result.returncode, result.stderr.strip()) == (0, "")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY"),
        ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"DEBUG": "1"}, "DEBUG"),
        ({"TASKBOARD_ENV": "prod"}, "TASKBOARD_ENV"),
    ],
)
def test_it_names_the_setting_that_is_wrong(tmp_path: Path, change: dict[str, str], named: str) -> None:
    result = start(tmp_path, **{**COMPLETE, **change})
    assert result.returncode == 1
    assert result.stderr.startswith(f"The setting {named} is ")
    assert len(result.stderr.strip().splitlines()) == 1
