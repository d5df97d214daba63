"""The moments at which a worker can be killed: wrapped around the engine's functions, never inside them.

A process that imports this dies by `kill -9` (or stops) when it comes to the moment named by CRASH_AT.
"""

import os
import signal
from collections.abc import Callable
from itertools import count
from typing import Any

from taskboard import lifecycle
from taskboard.engine import claim, execute, read, reconcile, record, work
from taskboard.engine.endings import Finished
from taskboard.resume import steps
from tests import long_workflows, odd_workflows  # noqa: F401 registers them
from tests.workflows import World

AT = os.environ.get("CRASH_AT", "")
SKIP = int(os.environ.get("CRASH_SKIP", "0"))
SIGNAL = getattr(signal, os.environ.get("CRASH_BY", "SIGKILL"))
Condition = Callable[..., bool]
_passed = count(1)


def _now() -> None:
    if next(_passed) == SKIP + 1:
        os.kill(os.getpid(), SIGNAL)


def _before(place: Any, name: str, when: Condition = lambda *_: True) -> None:
    inner = getattr(place, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        if when(*arguments):
            _now()
        return inner(*arguments, **options)

    setattr(place, name, wrapped)


def _after(place: Any, name: str, when: Condition = lambda *_: True) -> None:
    inner = getattr(place, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        answer = inner(*arguments, **options)
        if when(*arguments):
            _now()
        return answer

    setattr(place, name, wrapped)


def _finishes(*arguments: Any) -> bool:
    """Whether one of the reports handed over is a result."""
    ended = next((argument for argument in arguments if isinstance(argument, list)), [])
    return any(isinstance(one.report.ending, Finished) for one in ended)


def _writes(owner: Any, task: Any, claimed: Any, *_: Any) -> bool:
    return bool(claimed.spec.writes)


def _has_moves(change: Any, *_: Any) -> bool:
    return bool(change.task.steps_in("started"))


MOMENTS: dict[str, Callable[[], None]] = {
    "before the intent commit": lambda: _after(claim, "claim", _has_moves),
    "after the intent commit": lambda: _before(execute, "execute", _writes),
    "during the call, before its effect": lambda: _before(World, "do"),
    "during the call, after its effect": lambda: _after(World, "do"),
    "after the call": lambda: _after(execute, "execute", _writes),
    "after the executed row": lambda: _before(execute, "prove"),
    "after verify": lambda: _after(execute, "prove"),
    "before the result commit": lambda: _after(record, "record", _finishes),
    "after the result commit": lambda: _after(work.Slice, "_write", _finishes),
    "during reconcile": lambda: _before(reconcile.execute, "look_up"),
    "during reconcile, between two steps": lambda: _after(reconcile, "_settle_one"),
    "during resume": lambda: _replace_step("write_brief"),
    "while reading the items": lambda: _after(read, "_store"),
    "before a commit": lambda: _before(lifecycle.Change, "flush"),
}


def _replace_step(name: str) -> None:
    def dies(resume: Any) -> dict[str, Any]:
        _now()
        return {}

    dies.__name__ = name
    steps.IN_ORDER = tuple(dies if step.__name__ == name else step for step in steps.IN_ORDER)


if AT:
    MOMENTS[AT]()
