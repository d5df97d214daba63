"""A declaration that contradicts itself is refused with a sentence, when it is imported."""

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskboard import workflow as workflows
from taskboard.declaration import undo_name
from taskboard.engine.adopt import LONGEST_KEY, key_of
from taskboard.errors import BrokenWorkflow
from taskboard.models import Item, Step, Task
from taskboard.workflow import ASK_A_PERSON, Done, read_step, workflow, write_step

SAFE = {"find": ASK_A_PERSON, "unverified": "a test"}


def undo(self: Any, ctx: Any) -> None:
    """Nothing to take back."""


def declare(**steps: Callable[[Any], Any]) -> workflows.WorkflowSpec:
    """A workflow of these steps, forgotten again after the test."""
    members: dict[str, Any] = {"items": lambda self, reading: ()}
    for name, mark in steps.items():

        def call(self: Any, ctx: Any) -> Done:
            return Done()

        call.__name__ = name
        members[name] = mark(call)
    workflow("declared")(type("Declared", (), members))
    return workflows._registry.pop("declared")


@pytest.mark.parametrize(
    ("mark", "sentence"),
    [
        (write_step, "needs find="),
        (lambda: write_step(find=ASK_A_PERSON), "needs verify=<function> or unverified="),
        (lambda: write_step(on_go_back="undo", **SAFE), "needs an undo function"),
        (lambda: write_step(on_go_back="forget", **SAFE), "'keep', 'undo' or 'repeat'"),
        (lambda: read_step(effect_key=undo), "effect_key is for write steps"),
        (lambda: read_step(undo=undo), "undo is for write steps"),
        (lambda: read_step(by_hand={"id": "Its number"}), "by_hand is for write steps"),
        (lambda: read_step(after="nobody"), "no step can be the first"),
        (lambda: read_step(sometimes=True), "no option 'sometimes'"),
        (lambda: read_step(undoes="open"), "no option 'undoes'"),
        (lambda: read_step(estimate="dear"), "estimate: 'dear' is not an amount"),
        (lambda: read_step(estimate="-1"), "estimate: An amount in USD is between"),
        (lambda: read_step(time_limit=timedelta(0)), "a time limit is longer"),
    ],
)
def test_it_says_what_is_wrong(mark: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(BrokenWorkflow, match=sentence):
        declare(step=mark())


def test_a_name_that_another_workflow_has_is_refused() -> None:
    there = workflows.get("seo-audit")
    with pytest.raises(
        BrokenWorkflow, match=r"the name 'seo-audit' belongs to taskboard\.workflows\.seo_audit"
    ):
        workflow("seo-audit")(
            type("Another", (), {"__module__": "elsewhere", "items": lambda self, reading: ()})
        )
    assert workflows.get("seo-audit") is there


def test_steps_must_not_wait_for_each_other() -> None:
    with pytest.raises(BrokenWorkflow, match="in a circle"):
        declare(first=read_step(), one=read_step(after=("two", "first")), two=read_step(after="one"))


def test_a_name_leaves_room_for_the_step_that_takes_back() -> None:
    with pytest.raises(BrokenWorkflow, match="at most 90 characters"):
        declare(**{"x" * 91: read_step()})


def test_a_step_that_can_be_undone_has_one_that_takes_it_back() -> None:
    spec = declare(change=write_step(undo=undo, time_limit=timedelta(seconds=5), **SAFE))
    taken_back = spec.known(undo_name("change"))
    assert taken_back is not None
    assert (taken_back.undoes, taken_back.time_limit.seconds) == ("change", 5)
    assert taken_back.call(spec.owner, None) == Done("Taken back.")
    assert list(spec.steps) == ["change"]


LONG = "a long name " * 40
ENDS = st.from_regex(r"[ -~]{0,40}", fullmatch=True)


@given(st.text(max_size=700))
def test_a_key_always_fits(name: str) -> None:
    assert len(_key(name)) <= LONGEST_KEY
    assert _key(name) == _key(name)


@given(ENDS, ENDS)
def test_a_key_names_one_content_also_where_only_the_end_of_a_long_name_differs(one: str, other: str) -> None:
    one, other = f"{LONG}{one}", f"{LONG}{other}"
    assert (_key(one) == _key(other)) == (one.strip() == other.strip())


def _key(text: str) -> str:
    spec = declare(change=write_step(effect_key=lambda self, ctx: text, **SAFE)).steps["change"]
    claimed: Any = SimpleNamespace(
        spec=spec, step=Step(name="change"), item=Item(key="a"), outputs={}, made_by=""
    )
    return key_of(None, Task(params={}), claimed)
