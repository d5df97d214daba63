"""Before and after: every line is there, each changed one beside what it became."""

from hypothesis import given
from hypothesis import strategies as st

from approvals.cards.comparison import Row, compare

LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=5), max_size=8
)


def told(before: str, after: str) -> list[tuple[str, str]]:
    return [(row.kind, row.start + row.middle + row.end) for row in compare(before, after)]


def test_changed_lines_stand_beside_what_they_became() -> None:
    assert told("a\nb\nc", "a\nB\nC") == [
        ("same", "a"), ("remove", "b"), ("add", "B"), ("remove", "c"), ("add", "C"),
    ]  # fmt: skip


def test_lines_that_only_came_or_went_are_marked() -> None:
    assert told("", "new") == [("add", "new")]
    assert told("old\nkept", "kept") == [("remove", "old"), ("same", "kept")]


def test_what_differs_within_a_line_is_told_apart() -> None:
    assert compare("Pay 100 to Ann", "Pay 900 to Ann") == [
        Row("remove", "Pay ", "100", " to Ann"),
        Row("add", "Pay ", "900", " to Ann"),
    ]


def test_lines_with_nothing_in_common_and_those_that_run_to_the_left_stay_whole() -> None:
    assert compare("Home", "Pricing") == [Row("remove", "Home"), Row("add", "Pricing")]
    assert compare("مدير قديم", "مدير جديد") == [Row("remove", "مدير قديم"), Row("add", "مدير جديد")]


def test_a_line_that_begins_with_signs_is_not_taken_for_a_heading() -> None:
    assert told("-- old", "++ new") == [("remove", "-- old"), ("add", "++ new")]


@given(LINES, LINES)
def test_nothing_is_left_out(before: list[str], after: list[str]) -> None:
    rows = told("\n".join(before), "\n".join(after))
    assert [text for kind, text in rows if kind in ("same", "remove")] == before
    assert [text for kind, text in rows if kind in ("same", "add")] == after
