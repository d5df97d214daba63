"""`kill -9` around the reservation of a named effect: whoever wants it next finds it, or may go."""

from typing import Any

import pytest

from taskboard.models import Effect, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from tests import effect_workflows  # noqa: F401 registers them
from tests.crash.harness import check, dies, kinds, recover, worker
from tests.processes import Processes
from tests.workflows import World

MOMENTS = [
    "before the effect is reserved",
    "after the effect is reserved",
    "during the call, before its effect",
    "during the call, after its effect",
    "after the executed row",
    "before the result commit",
]
ADOPTING = [
    "before the effect is reserved",
    "after the effect is reserved",
    "after the executed row",
    "after verify",
]


def ticketing(user: Any) -> Task:
    return start_task("ticketing", {"items": 2}, user=user)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_named_effect_is_had_once(processes: Processes, operator: Any, moment: str) -> None:
    task = ticketing(operator)
    dies(processes, worker(processes, CRASH_AT=moment, CRASH_SKIP="1"))
    recover(task)
    check(task)
    assert Effect.objects.exclude(at=None).count() == len(World().keys()) == 2


@pytest.mark.parametrize("moment", ADOPTING)
def test_one_that_is_there_is_found_by_whoever_follows_the_dead(
    processes: Processes, operator: Any, moment: str
) -> None:
    recover(ticketing(operator))
    second = ticketing(operator)
    dies(processes, worker(processes, CRASH_AT=moment))
    recover(second)
    assert (second.status, list(differences(second))) == ("completed", [])
    ids = Step.objects.filter(task=second, name="open").values_list("external_id", flat=True)
    assert sorted(ids) == ["E-1", "E-2"]
    assert len(World().keys()) == 2


def test_a_call_that_had_not_begun_is_made_although_nobody_can_look_it_up(
    processes: Processes, operator: Any
) -> None:
    """Its effect was not reserved, so surely nothing went out."""
    task = start_task("whisper", {"items": 1}, user=operator)
    dies(processes, worker(processes, CRASH_AT="before the effect is reserved"))
    recover(task)
    check(task)
    assert kinds(task, step="whisper") == ["intent", "interrupted", "retry", "intent", "result"]


def test_a_call_that_may_have_begun_is_left_to_a_person(processes: Processes, operator: Any) -> None:
    task = start_task("whisper", {"items": 1}, user=operator)
    dies(processes, worker(processes, CRASH_AT="after the effect is reserved"))
    recover(task)
    step = Step.objects.get(task=task)
    assert (task.status, step.status, World().keys()) == ("blocked", "unknown", [])
    assert Effect.objects.get().step == step
