"""When to try again."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from taskboard.engine.retry import LONGEST, bounded, growing, pause
from taskboard.outcomes import Retries

policies = st.builds(
    Retries,
    times=st.integers(0, 10_000),
    first=st.timedeltas(timedelta(0), timedelta(days=3)),
    longest=st.timedeltas(timedelta(0), timedelta(days=30)),
)


@given(policies, st.integers(1, 10_000), st.floats(0, 1), st.none() | st.timedeltas())
def test_a_pause_is_never_negative_and_never_for_ever(
    policy: Retries, failures: int, chance: float, asked: timedelta | None
) -> None:
    length = pause(policy, failures, chance, asked)
    assert (length is None) == (failures > policy.times)
    if length is not None:
        assert timedelta(0) <= length <= LONGEST
        assert asked is None or length >= min(asked, LONGEST)


def test_pauses_double_up_to_the_longest() -> None:
    policy = Retries(times=9, first=timedelta(seconds=2), longest=timedelta(seconds=10))
    assert [pause(policy, n, 0.5) for n in range(1, 6)] == [timedelta(seconds=s) for s in (2, 4, 8, 10, 10)]


def test_attempts_that_failed_together_are_spread() -> None:
    assert pause(Retries(), 1, 0.0) == timedelta(seconds=1.5)
    assert pause(Retries(), 1, 1.0) == timedelta(seconds=2.5)


@given(st.none() | st.timedeltas())
def test_whatever_is_asked_for_can_be_added_to_a_clock(asked: timedelta | None) -> None:
    assert timedelta(0) <= bounded(asked) <= LONGEST
    assert bounded(timedelta(seconds=7)) == timedelta(seconds=7)


def test_pauses_that_are_no_failures_grow_too() -> None:
    first, longest = timedelta(seconds=5), timedelta(hours=1)
    turns = [growing(first, longest, turn).total_seconds() for turn in (0, 1, 2, 3, 11, 10**6)]
    assert turns == [5, 5, 10, 20, 3600, 3600]
