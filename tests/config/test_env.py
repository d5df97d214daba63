"""A bad setting stops the start with one sentence that names it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from config import env
from config.database import database
from config.settings import BASE_DIR  # noqa: F401 settings are complete before a reader is tried


def sentence(read: Callable[[], Any]) -> str:
    with pytest.raises(env.BadSetting) as refused:
        read()
    return str(refused.value)


@pytest.mark.parametrize("value", ["abc", "0", "-3", "3601", "1.5", "٣", "1e3"])
def test_a_number_out_of_range_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("LEASE", value)
    said = sentence(lambda: env.number("LEASE", 30, 1, 3600))
    assert said == f"The setting LEASE is {value!r}, but it must be a whole number from 1 to 3600."


def test_an_empty_variable_means_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASE", " ")
    assert env.number("LEASE", 30, 1, 3600) == 30


def test_a_secret_may_come_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-a-file\n")
    monkeypatch.setenv("TRACKER_TOKEN_FILE", str(tmp_path / "token"))
    assert env.text("TRACKER_TOKEN") == "from-a-file"


def test_a_missing_secret_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_TOKEN_FILE", "/nowhere/token")
    assert "/nowhere/token" in sentence(lambda: env.text("OTHER_TOKEN"))


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (lambda: env.flag("IT", default=False), "maybe"),
        (lambda: env.choice("IT", "a", ["a", "b"]), "c"),
        (lambda: env.zone("IT", "UTC"), "Mars/Olympus"),
        (lambda: env.clock("IT", "02:30"), "half past two"),
        (lambda: env.clock("IT", "02:30"), "23:30"),
        (lambda: env.clock("IT", "02:30"), "02:30+01:00"),
        (lambda: env.address("IT"), "ftp://example.org"),
        (lambda: env.origins("IT"), "tasks.example.org"),
        (lambda: env.origins("IT"), "https://tasks.example.org/path"),
        (lambda: env.folders("IT"), "/nowhere/at/all"),
        (lambda: env.folder("IT", Path("var")), "/dev/null/folder"),
    ],
)
def test_a_bad_value_is_named(monkeypatch: pytest.MonkeyPatch, read: Callable[[], Any], value: str) -> None:
    monkeypatch.setenv("IT", value)
    said = sentence(read)
    assert said.startswith("The setting IT is ")
    assert value in said


def test_an_unknown_database_is_refused_without_its_password() -> None:
    said = sentence(lambda: database("mysql://root:hush@localhost/x", 5))
    assert "DATABASE_URL" in said
    assert "hush" not in said


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("bogus", "bogus"),
        ("mysql://me:hush@localhost/x", "mysql:…@localhost/x"),
        ("mysql://localhost/x?password=hush&a=b", "mysql://localhost/x?password=…&a=b"),
    ],
)
def test_what_was_read_instead_of_a_database_is_shown(url: str, shown: str) -> None:
    said = sentence(lambda: database(url, 5))
    assert f"DATABASE_URL is {shown!r}" in said
    assert "hush" not in said
