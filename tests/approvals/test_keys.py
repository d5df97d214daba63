"""The keys of the inbox: each that does something is in the list that the page shows, and none is there in vain."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from tests.conftest import logged_in
from tests.factories import make_approval

FOLDER = Path(settings.BASE_DIR) / "templates" / "approvals"
PRESSED = re.compile(r'\bhotkey="([^"{]+)"')
LISTED = re.compile(r'data-lists="([^"]+)" data-hotkey-label="[^"]+"')


def test_the_list_holds_just_the_keys_that_are_there() -> None:
    pressed = {key for path in FOLDER.glob("*.html") for key in PRESSED.findall(path.read_text())}
    assert pressed == set(LISTED.findall((FOLDER / "_all_keys.html").read_text()))


def test_the_first_question_lists_the_way_back_and_the_undo_already(manager: User) -> None:
    make_approval()
    shown = logged_in(manager).get(reverse("approvals:inbox")).content.decode()
    assert 'hotkey="k"' not in shown
    assert {"j", "k", "z"} <= set(LISTED.findall(shown))


def test_who_may_not_decide_sees_no_key_that_would(operator: User) -> None:
    asked = make_approval()
    client = logged_in(operator)
    shown = client.get(reverse("approvals:inbox")).content.decode()
    assert set(LISTED.findall(shown)) == {"j", "k", "/"}
    assert LISTED.findall(client.get(asked.get_absolute_url()).content.decode()) == []


def test_the_record_lists_the_keys_of_its_form(manager: User) -> None:
    shown = logged_in(manager).get(make_approval().get_absolute_url()).content.decode()
    assert set(LISTED.findall(shown)) == {"a", "r", "c", "e", "ctrl+enter"}
    assert "js/inbox" in shown
