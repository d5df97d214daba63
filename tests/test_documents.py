"""What the documents name is there."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
PLACE = re.compile(r"`((?:\.?\w[\w.-]*/)*[\w.-]+(?:/|\.(?:py|md|html|toml|conf|sh|json)))`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")
MADE_LATER = {"var/", "taskboard/workflows/reminders.py"}


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_place_that_a_document_names_exists(document: Path) -> None:
    told = document.read_text(encoding="utf-8")
    places = {place for place in PLACE.findall(told) if "/" in place} - MADE_LATER
    missing = {place for place in places if not (ROOT / place).exists()}
    assert missing == set()
    assert {link for link in LINK.findall(told) if not (document.parent / link).exists()} == set()


def test_the_deployment_page_explains_every_setting() -> None:
    settings = re.findall(r"^#?([A-Z_]+)=", text(".env.example"), re.MULTILINE)
    assert {name for name in settings if f"`{name}`" not in text("docs/deploy.md")} == set()


def test_the_changelog_begins_with_the_version_of_the_project() -> None:
    versions = re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
    assert versions[0] == tomllib.loads(text("pyproject.toml"))["project"]["version"]


def test_the_style_guide_has_twenty_rules_each_with_an_example() -> None:
    rules = re.split(r"^\d+\. ", text("STYLE.md"), flags=re.MULTILINE)[1:]
    assert len(rules) == 20
    assert [rule for rule in rules if "→" not in rule] == []
