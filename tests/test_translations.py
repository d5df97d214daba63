"""Every text of the product is there in Simplified Chinese, and a page shows it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from config import messages
from taskboard.models import Profile
from tests.conftest import logged_in

FOLDER = "locale/zh_Hans/LC_MESSAGES"
PLACEHOLDERS = re.compile(r"%\(\w+\)[a-z]|%[a-z%]")


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (messages.ROOT / FOLDER / "django.po").open("rb") as file:
        return read_po(file, locale="zh_Hans")


@pytest.fixture
def compiled(catalogue: Catalog, tmp_path: Path, settings: Any) -> None:
    """As `make install` compiles it, but of today and in a folder of the test."""
    target = tmp_path / FOLDER
    target.mkdir(parents=True)
    with (target / "django.mo").open("wb") as file:
        write_mo(file, catalogue)
    settings.LOCALE_PATHS = [tmp_path / "locale"]


def texts(catalogue: Catalog) -> Iterator[Message]:
    return (message for message in catalogue if message.id)


def forms(words: Any) -> list[str]:
    """One for a plain text, one per number for a counted one."""
    return [words] if isinstance(words, str) else list(words)


def test_it_has_every_text_of_today(catalogue: Catalog) -> None:
    assert messages.untranslated(catalogue) == []


def test_it_has_no_text_of_yesterday(catalogue: Catalog) -> None:
    today = {(message.context, message.id) for message in messages.collect()}
    assert [message.id for message in texts(catalogue) if (message.context, message.id) not in today] == []


def test_none_is_empty_or_a_guess(catalogue: Catalog) -> None:
    assert not catalogue.fuzzy
    bad = [message.id for message in texts(catalogue) if message.fuzzy or not all(forms(message.string))]
    assert bad == []


def test_a_counted_text_has_the_one_form_that_chinese_has(catalogue: Catalog) -> None:
    counted = [message for message in texts(catalogue) if message.pluralizable]
    assert [message.id for message in counted if len(forms(message.string)) != 1] == []


def test_each_keeps_the_placeholders_of_its_text(catalogue: Catalog) -> None:
    def kept(message: Message) -> bool:
        original = sorted(PLACEHOLDERS.findall(forms(message.id)[-1]))
        return all(sorted(PLACEHOLDERS.findall(form)) == original for form in forms(message.string))

    assert [message.id for message in texts(catalogue) if not kept(message)] == []


def test_each_keeps_its_elements_and_addresses(catalogue: Catalog) -> None:
    marks = re.compile(r"<[^>]+>|https?://[a-z.]*")

    def kept(message: Message) -> bool:
        return sorted(marks.findall(forms(message.id)[-1])) == sorted(marks.findall(forms(message.string)[0]))

    assert [message.id for message in texts(catalogue) if not kept(message)] == []


def test_dates_are_written_in_one_place_only() -> None:
    """taskboard/dates.py asks the language for their order; what a program reads may have a format of its own."""
    fixed = re.compile(r"""\|(?:date|time)(?!:["']Y-m-d["'])\b|{% now\b|\bdate_format\(""")
    sources = [
        path
        for folder, kind in (("templates", "*.*"), ("taskboard", "*.py"), ("approvals", "*.py"))
        for path in (messages.ROOT / folder).rglob(kind)
        if path.name != "dates.py"
    ]
    assert sources
    assert [str(path) for path in sources if fixed.search(path.read_text())] == []


@pytest.mark.usefixtures("compiled")
def test_a_person_who_chose_chinese_reads_chinese(operator: Any) -> None:
    Profile.objects.create(user=operator, language="zh-hans", time_zone="Asia/Shanghai")
    page = logged_in(operator).get("/").content.decode()
    assert '<html lang="zh-hans"' in page
    assert "尚无任务" in page
    assert "No tasks yet" not in page


@pytest.mark.usefixtures("compiled")
def test_everybody_else_reads_english(operator: Any) -> None:
    page = logged_in(operator).get("/").content.decode()
    assert "No tasks yet" in page
    assert "尚无任务" not in page
