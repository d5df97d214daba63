"""Workflows that heed what people say while they run."""

from typing import Any

from taskboard.workflow import EVERYTHING, REPEATABLE, Done, Retry, read_step, workflow, write_step
from tests.workflows import HowMany, World, items

HEARD: list[tuple[str, tuple[str, ...]]] = []
"""What each attempt was told, in order."""


@workflow("listening", title="Listening", params=HowMany, parallel=1)
class Listening:
    """One step that remembers what it was told."""

    items = items

    @read_step()
    def listen(self, ctx: Any) -> Any:
        HEARD.append((f"{ctx.item.key}.{ctx.step}", tuple(ctx.instructions)))
        return Retry("again") if ctx.params["mode"] == "twice" and ctx.attempt == 1 else Done("heard")


@workflow("counting", title="Counting", params=HowMany, parallel=2)
class Counting:
    """Two steps, and one for the whole task that says how many items there were."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @write_step(after="look", find=REPEATABLE, unverified="zoo")
    def write(self, ctx: Any) -> Done:
        return Done("written", external_id=World().do(ctx.idempotency_key))

    @write_step(after_all=EVERYTHING, find=REPEATABLE, unverified="zoo")
    def report(self, ctx: Any) -> Done:
        return Done(f"{sum(1 for _ in ctx.items())} items", external_id=World().do(ctx.idempotency_key))
