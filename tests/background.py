"""A worker in a thread of this process, for tests that act while a step is in the air."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from taskboard.engine import work
from taskboard.models import Task
from tests.processes import until
from tests.workflows import GATE, World


class Background:
    """Runs a call in a thread; `end` waits for it and raises what it raised."""

    def __init__(self, call: Callable[..., Any], *arguments: Any) -> None:
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, args=(call, *arguments), daemon=True)
        self.thread.start()

    def _run(self, call: Callable[..., Any], *arguments: Any) -> None:
        try:
            call(*arguments)
        except BaseException as error:  # noqa: BLE001 raised again by `end`
            self.error = error
        finally:
            connections.close_all()

    def end(self, seconds: float = 40) -> None:
        self.thread.join(seconds)
        assert not self.thread.is_alive(), "the worker did not come to its end"
        if self.error:
            raise self.error


@contextmanager
def working_on(task: Task, effects: int = 1) -> Iterator[Background]:
    """A worker whose steps have had so many effects and wait at the gate; on leaving, the gate opens and
    the worker comes to its end."""
    GATE.clear()
    worker = Background(work.until_idle, task.pk)
    try:
        until(lambda: len(World().keys()) >= effects, what="the first effect")
        yield worker
    finally:
        GATE.set()
        worker.end()
        work.stopping.clear()
