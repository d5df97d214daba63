"""What is typed into a search box."""

import pytest

from taskboard.errors import BadInput
from taskboard.lists.words import Word, read, without

NAMES = ("status", "owner", "cost")


def typed(text: str) -> list[tuple[str, str]]:
    return [(word.name, word.value) for word in read(text, NAMES)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", []),
        ("   ", []),
        ("shop audit", [("", "shop"), ("", "audit")]),
        ("status:done owner:ops cost:>5 a", [("status", "done"), ("owner", "ops"), ("cost", ">5"), ("", "a")]),
        ('owner:"Anna Smith" "two words"', [("owner", "Anna Smith"), ("", "two words")]),
        ('"colour: red"', [("", "colour: red")]),
        ('"never closed', [("", "never closed")]),
        ("Status:running", [("status", "running")]),
        ("https://shop.example/pricing", [("", "https://shop.example/pricing")]),
        ("12:30", [("", "12:30")]),
        ("-", [("", "-")]),
        ("=1+1", [("", "=1+1")]),
        ("nul\x00 gone", [("", "nul\ufffd"), ("", "gone")]),
    ],
)  # fmt: skip
def test_it_is_read_as_words_and_qualifiers(text: str, meant: list[tuple[str, str]]) -> None:
    assert typed(text) == meant


def test_a_minus_sign_means_without() -> None:
    assert read("-status:done -shop", NAMES) == [
        Word("status", "done", True, "-status:done"),
        Word("", "shop", True, "-shop"),
    ]


def test_an_unknown_qualifier_is_told_with_those_that_exist() -> None:
    with pytest.raises(
        BadInput, match=r"There is no “colour:” to search by\. There are status:, owner:, cost:"
    ):
        read("shop colour:red", NAMES)


def test_a_qualifier_without_a_value_is_told() -> None:
    with pytest.raises(BadInput, match="Write something behind “status:”"):
        read("status: running", NAMES)


def test_too_many_words_are_told() -> None:
    with pytest.raises(BadInput, match="at most 20 words"):
        read("a " * 21, NAMES)


def test_one_word_can_be_left_out_and_the_rest_stays_as_typed() -> None:
    words = read('-owner:"Anna Smith"   cost:>5 shop', NAMES)
    assert without(words, words[1]) == '-owner:"Anna Smith" shop'
