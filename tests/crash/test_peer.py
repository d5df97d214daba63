"""A peer that answers in every bad way: what is done there is done once, or a person is asked."""

from typing import Any

import pytest

from taskboard.models import Checkpoint, Step, Task
from taskboard.start import start_task
from tests.crash import calling  # noqa: F401 registers them
from tests.crash.harness import faults, recover
from tests.crash.servers import Peer

MODES = ("well", "slow", "silent", "deaf", "broken", "busy", "twice")
REFUSED, LOST = {"deaf", "busy"}, {"silent", "deaf", "broken"}


def start(user: Any, peer: Peer, workflow: str, step: str) -> Task:
    """An item for each way to answer its first call."""
    task = start_task(workflow, {"items": len(MODES), "peer": peer.address}, user=user)
    for number, mode in enumerate(MODES, 1):
        peer.store.tell(mode, f"{task.public_id}:item_{number:03}:{step}", times=1)
    return task


def by_mode(task: Task, step: str) -> dict[str, Step]:
    steps = Step.objects.filter(task=task, name=step).order_by("position")
    return dict(zip(MODES, steps, strict=True))


def test_what_can_be_looked_up_is_done_once_however_it_is_answered(operator: Any, peer: Peer) -> None:
    """DUP-03, DUP-05."""
    task = start(operator, peer, "calling", "call")
    recover(task, 60)
    assert (task.status, faults(task, peer.store.effects())) == ("completed", [])
    assert len(peer.store.effects()) == 2 * len(MODES)
    again = [call.mode for call in peer.store.calls() if not call.effect]
    assert sorted(again) == sorted(REFUSED)
    found = Checkpoint.objects.filter(task=task, kind="result", step="call", data__found=True)
    assert {row.item_key for row in found} == {
        by_mode(task, "call")[m].item.key for m in ("silent", "broken")
    }


def test_what_nobody_can_look_up_is_never_sent_twice(operator: Any, peer: Peer) -> None:
    """DUP-05: a refusal is tried again; where the answer was lost, a person is asked."""
    task = start(operator, peer, "shouting", "shout")
    recover(task, 60)
    assert (task.status, faults(task, peer.store.effects())) == ("blocked", [])
    steps = by_mode(task, "shout")
    assert {mode for mode, step in steps.items() if step.status == "unknown"} == LOST
    assert {step.status for mode, step in steps.items() if mode not in LOST} == {"done"}
    assert sorted(call.mode for call in peer.store.calls()) == sorted([*MODES, "well"])


def test_a_port_that_is_closed_is_called_again_and_nothing_is_in_doubt(operator: Any, peer: Peer) -> None:
    """DUP-05: refused is not the same as unanswered."""
    peer.send(9)
    task = start_task("shouting", {"items": 3, "peer": peer.address}, user=operator)
    with pytest.raises(AssertionError, match="did not happen"):
        recover(task, 1)
    waiting = Step.objects.filter(task=task)
    assert {(step.status, step.error_class) for step in waiting} == {("pending", "NotSent")}
    peer.start()
    recover(task)
    assert (task.status, faults(task, peer.store.effects())) == ("completed", [])
    assert len(peer.store.calls()) == 3
