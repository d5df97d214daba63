"""What can be known of the lock without a network: complete, pinned, hashed, and what is installed."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version

import pytest

from tests.processes import ROOT

LINE = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+?)(?: ; .*)?(?: \\)?$")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(file: str) -> dict[str, str]:
    """Versions by name; each entry must be pinned and have its hashes."""
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", (ROOT / file).read_text().strip()):
        if entry.startswith("#"):
            continue
        first = LINE.match(entry.splitlines()[0])
        assert first, f"{file}: {entry.splitlines()[0]!r} is not pinned."
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), f"{file}: {first[1]} has no hash."
        found[normal(first[1])] = first[2]
    return found


@pytest.mark.parametrize(("file", "extras"), [("requirements.txt", ()), ("requirements-dev.txt", ("dev",))])
def test_every_dependency_is_in_the_lock(file: str, extras: tuple[str, ...]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(one for extra in extras for one in project["optional-dependencies"][extra]),
    ]
    names = {normal(re.split(r"[\[=~<>! ;]", one)[0]) for one in wanted}
    assert names - locked(file).keys() == set(), "Run `make lock`."


def test_both_locks_agree() -> None:
    plain, dev = locked("requirements.txt"), locked("requirements-dev.txt")
    assert {name: dev.get(name) for name in plain} == plain


def test_what_is_installed_is_what_is_locked() -> None:
    differs = {}
    for name, wanted in locked("requirements.txt").items():
        try:
            installed = version(name)
        except PackageNotFoundError:  # for another system
            continue
        if installed != wanted:
            differs[name] = (installed, wanted)
    assert differs == {}, "Run `make install`."
