"""What is known to be secret is hidden in whatever way it is written, and nothing else is."""

import json
from urllib.parse import quote, quote_plus

import pytest

from taskboard import redaction
from taskboard.redaction import HIDDEN, redact, redact_bytes, remember

SECRET = 'p/ä ss+"word"'


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_known", {})
    monkeypatch.setattr(redaction, "_pattern", None)


@pytest.mark.parametrize(
    "written",
    [
        SECRET, quote(SECRET), quote(SECRET, safe=""), quote_plus(SECRET), json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
    ],
)  # fmt: skip
def test_it_is_hidden_as_texts_addresses_and_json_write_it(written: str) -> None:
    remember(f" {SECRET}\n")
    assert redact(f"with {written}.") == f"with {HIDDEN}."
    assert redact_bytes(f"with {written}.".encode()) == f"with {HIDDEN}.".encode()


def test_one_that_begins_like_another_is_hidden_as_a_whole() -> None:
    for value in ("secret", "secret-and-more"):
        remember(value)
    assert redact("secret-and-more, secret") == f"{HIDDEN}, {HIDDEN}"


def test_what_is_short_is_not_looked_for() -> None:
    remember("12345")
    remember("123456")
    assert redact("12345 of 123456") == f"12345 of {HIDDEN}"


def test_of_several_lines_only_the_long_ones_are_hidden_alone() -> None:
    remember("BEGIN KEY\n0123456789abcdef\n0123456789abcde\nEND KEY")
    assert redact("BEGIN KEY: 0123456789abcdef") == f"BEGIN KEY: {HIDDEN}"
    assert redact("0123456789abcde") == "0123456789abcde"


def test_of_too_many_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "MOST", 2)
    for value in ("first-one", "second-one", "third-one"):
        remember(value)
    assert redact("first-one, second-one, third-one") == f"first-one, {HIDDEN}, {HIDDEN}"


def test_a_file_that_holds_no_text_stays_as_it_is() -> None:
    remember("secret")
    assert redact_bytes(b"\xffsecret") == b"\xffsecret"
