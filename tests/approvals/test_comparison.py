"""Before and after: every line is there, each changed one beside what it became."""

from hypothesis import given
from hypothesis import strategies as st

from approvals.comparison import compare

LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=5), max_size=8
)


def test_changed_lines_stand_beside_what_they_became() -> None:
    assert compare("a\nb\nc", "a\nB\nC") == [" a", "-b", "+B", "-c", "+C"]


def test_lines_that_only_came_or_went_are_marked() -> None:
    assert compare("", "new") == ["+new"]
    assert compare("old\nkept", "kept") == ["-old", " kept"]


@given(LINES, LINES)
def test_nothing_is_left_out(before: list[str], after: list[str]) -> None:
    lines = compare("\n".join(before), "\n".join(after))
    assert [line[1:] for line in lines if line[0] in " -"] == before
    assert [line[1:] for line in lines if line[0] in " +"] == after
