"""Whole numbers as people and addresses write them."""

import pytest

from taskboard.numbers import whole


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("7", 7), ("007", 7), ("9" * 18, 10**18 - 1)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert whole(text) == number


OTHERS = ["", " ", "-1", "+1", "1.0", "1e3", "1_000", " 1", "1\n", "x", "\u00b2", "\uff11\uff12", "\u0663"]


@pytest.mark.parametrize("text", [*OTHERS, "9" * 19, "9" * 30])
def test_anything_else_is_none(text: str) -> None:
    assert whole(text) is None
