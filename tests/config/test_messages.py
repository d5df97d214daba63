"""Texts are collected from code and templates, and compiled, without GNU gettext."""

from pathlib import Path

import pytest

from config import messages


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    for name in ("taskboard", "templates"):
        (tmp_path / name).mkdir()
    (tmp_path / "taskboard/verbs.py").write_text('ngettext("%(n)d page", "%(n)d pages", n)\n_("Pause")\n')
    (tmp_path / "templates/a.html").write_text(
        '{% load i18n %}{% translate "Resume" context "verb" %}'
        "{% blocktranslate trimmed %}Hello\n {{ name }}{% endblocktranslate %}"
    )
    return tmp_path


def test_texts_of_code_and_templates_are_found(tree: Path) -> None:
    found = {(message.context, message.id) for message in messages.collect() if message.id}
    assert found == {
        (None, "Pause"),
        (None, ("%(n)d page", "%(n)d pages")),
        ("verb", "Resume"),
        (None, "Hello %(name)s"),
    }


def test_what_is_translated_stays_and_is_compiled(tree: Path) -> None:
    messages.extract()
    path = tree / "locale/zh_Hans/LC_MESSAGES/django.po"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('msgid "Pause"\nmsgstr ""', 'msgid "Pause"\nmsgstr "暂停"'), encoding="utf-8"
    )
    messages.extract()
    messages.compile_all()
    assert "暂停" in path.read_text(encoding="utf-8")
    assert "暂停".encode() in path.with_suffix(".mo").read_bytes()
