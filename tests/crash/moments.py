"""The moments at which a worker can be struck: wrapped around the engine's functions, never inside them.

A process that imports this is hit by CRASH_BY (a signal; `kill -9` by itself) when it comes to the moment named
by CRASH_AT for the (CRASH_SKIP + 1)th time; once, even if it has several children or comes back.
"""

import os
import signal
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from approvals import resumer
from approvals.gate import ApprovalsGate
from taskboard import lifecycle
from taskboard.engine import adopt, claim, effects, execute, lookup, read, reconcile, record, work
from taskboard.engine.endings import Finished, MustAsk
from taskboard.resume import steps
from taskboard.retention import archive, batches, purge
from tests import effect_workflows, frozen_workflows, long_workflows, odd_workflows  # noqa: F401 registers them
from tests.crash import calling
from tests.workflows import World

AT = os.environ.get("CRASH_AT", "")
SKIP = int(os.environ.get("CRASH_SKIP", "0"))
SIGNAL = getattr(signal, os.environ.get("CRASH_BY", "SIGKILL"))
MAIN = os.getpid()
"""Of a worker with children the one that is told to end."""
STRUCK = Path(settings.TASKBOARD_VAR) / f"struck-{os.environ.get('CRASH_ID', os.getpid())}"
CLOCK = Path(settings.TASKBOARD_VAR) / "clock"
"""Holds by how many seconds the time of day is wrong, if a test says so."""
DURING = 0.15
"""So long after a call was begun, a slow peer has it and has not answered."""
Condition = Callable[..., bool]
_passed = count(1)


def _now() -> None:
    if next(_passed) > SKIP and _is_first():
        os.kill(MAIN if SIGNAL == signal.SIGTERM else os.getpid(), SIGNAL)


def _is_first() -> bool:
    try:
        with STRUCK.open("x") as told:
            told.write(str(os.getpid()))
    except FileExistsError:
        return False
    return True


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


def _during(place: Any, name: str) -> None:
    inner = getattr(place, name)

    def wrapped(*arguments: Any, **options: Any) -> Any:
        threading.Timer(DURING, _now).start()
        return inner(*arguments, **options)

    setattr(place, name, wrapped)


def _ends(kind: type, *arguments: Any) -> bool:
    """Whether one of the reports handed over ends in this way."""
    batches = (getattr(argument, "ended", argument) for argument in arguments)
    ended = next((batch for batch in batches if isinstance(batch, list)), [])
    return any(isinstance(one.report.ending, kind) for one in ended)


def _writes(owner: Any, task: Any, claimed: Any, *_: Any) -> bool:
    return bool(claimed.spec.writes)


def _has_moves(change: Any, *_: Any) -> bool:
    return bool(change.task.steps_in("started"))


def _replace_step(name: str) -> None:
    def struck(step: Callable[[Any], dict[str, Any]], resume: Any) -> dict[str, Any]:
        _now()
        return step(resume)

    def in_place(step: Any) -> Any:
        replaced = partial(struck, step)
        replaced.__name__ = name  # type: ignore[attr-defined]  # the journal calls it so
        return replaced

    steps.IN_ORDER = tuple(in_place(step) if step.__name__ == name else step for step in steps.IN_ORDER)


def wrong_clock(now: Callable[[], datetime]) -> Callable[[], datetime]:
    return lambda: now() + timedelta(seconds=float(CLOCK.read_text() if CLOCK.exists() else 0))


_result, _question = partial(_ends, Finished), partial(_ends, MustAsk)

MOMENTS: dict[str, Callable[[], None]] = {
    "before the intent commit": lambda: _after(claim, "claim", _has_moves),
    "after the intent commit": lambda: _before(execute, "execute", _writes),
    "before the effect is reserved": lambda: _before(effects, "reserve"),
    "after the effect is reserved": lambda: _after(adopt, "before_call"),
    "during the call, before its effect": lambda: _before(World, "do"),
    "during the call, after its effect": lambda: _after(World, "do"),
    "before the call of the peer": lambda: _before(calling, "send"),
    "during the call of the peer": lambda: _during(calling, "send"),
    "after the call of the peer": lambda: _after(calling, "send"),
    "after the call": lambda: _after(execute, "execute", _writes),
    "after the executed row": lambda: _before(execute, "prove"),
    "after verify": lambda: _after(execute, "prove"),
    "before the result commit": lambda: _after(record, "record", _result),
    "after the result commit": lambda: _after(work.Slice, "_write", _result),
    "before the question is there": lambda: _after(record, "record", _question),
    "while waiting for approval": lambda: _after(work.Slice, "_write", _question),
    "between a decision and its pick-up": lambda: _before(resumer, "_hand_over"),
    "while a decision is picked up": lambda: _after(resumer, "_take"),
    "after a decision was picked up": lambda: _after(ApprovalsGate, "collect"),
    "during reconcile": lambda: _before(lookup, "look_up"),
    "during reconcile, between two steps": lambda: _after(reconcile, "_settle_one"),
    "while reading the items": lambda: _after(read, "_store"),
    "before a commit": lambda: _before(lifecycle.Change, "flush"),
    "before the archive of a purge": lambda: _before(archive, "write"),
    "after the archive of a purge": lambda: _after(archive, "write"),
    "between two batches of a purge": lambda: _after(batches, "breathe"),
    "before the end of a purge": lambda: _after(batches, "remove_task"),
    "after the end of a purge": lambda: _after(purge, "_finish"),
}
MOMENTS |= {
    f"during resume, at {step.__name__}": partial(_replace_step, step.__name__) for step in steps.IN_ORDER
}

timezone.now = wrong_clock(timezone.now)
if AT:
    MOMENTS[AT]()
