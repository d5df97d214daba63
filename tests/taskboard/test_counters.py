"""Counters, money and journal of any workflow, in any mood, agree with the rows."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taskboard.engine import work
from taskboard.errors import WrongState
from taskboard.models import Item, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests import odd_workflows  # noqa: F401 registers them
from tests.workflows import GATE, Moody

pytestmark = pytest.mark.django_db(transaction=True)

moods = [name.removeprefix("_") for name in vars(Moody) if name.startswith("_") and "__" not in name]
runs = st.one_of(
    st.tuples(st.just("moody"), st.sampled_from(moods)),
    st.tuples(st.sampled_from(["linear", "diamond", "asking", "blind", "drafting", "dear"]), st.just("")),
    st.tuples(st.just("rework"), st.sampled_from(["0", "1", "9"])),
    st.tuples(st.just("ending"), st.sampled_from(["", "gives up"])),
    st.tuples(st.just("paid"), st.sampled_from(["0.01", "0.33"])),
)
verbs = st.lists(st.sampled_from(["retry", "skip", "pause", "resume", "work", "cancel"]), max_size=5)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs, st.integers(0, 4), verbs, st.sampled_from([None, "0.50"]))
def test_they_agree_whatever_is_done_to_a_task(
    operator: Any, run: tuple[str, str], items: int, verbs: list[str], limit: str | None
) -> None:
    GATE.set()
    name, mode = run
    task = start_task(name, {"items": items, "mode": mode}, user=operator, limit_usd=limit)
    work.until_idle(task.pk)
    for verb in verbs:
        before = Task.objects.get(pk=task.pk).version
        try:
            do(verb, task, operator)
        except WrongState:
            assert Task.objects.get(pk=task.pk).version == before
        agrees(task)
    work.until_idle(task.pk)
    agrees(task)


def do(verb: str, task: Task, user: Any) -> None:
    match verb:
        case "retry":
            for step in Step.objects.filter(task=task, status__in=steer.RETRYABLE):
                steer.retry_step(step, user)
        case "skip":
            for step in Step.objects.filter(task=task, status__in=steer.SKIPPABLE)[:2]:
                steer.skip_step(step, user, "enough of it")
        case "work":
            work.until_idle(task.pk)
        case _:
            getattr(steer, verb)(task, user)


def agrees(task: Task) -> None:
    task.refresh_from_db()
    assert list(differences(task)) == []
    assert task.reserved_micro == 0
    stuck = Item.objects.filter(task=task, status__in=("pending", "running"))
    if task.status in ("completed", "cancelled", "blocked") and not task.out_of_budget:
        assert not stuck.exists()
