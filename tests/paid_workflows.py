"""Workflows whose attempts cost money and are lost on the way."""

from typing import Any

from taskboard.workflow import Done, Usage, read_step, workflow, write_step
from tests.workflows import GATE, HowMany, World, find_effect, items


@workflow("late-and-dear", title="Late and dear", params=HowMany)
class LateAndDear:
    """A write that lasts until the test says so, and costs what the parameter `mode` says."""

    items = items

    @write_step(find=find_effect, unverified="zoo", estimate="0.10")
    def wait(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        used = None if ctx.params["mode"] == "free" else Usage(ctx.params["mode"])
        return Done("waited", external_id=external_id, usage=used)


@workflow("dearer", title="Dearer", params=HowMany, parallel=24)
class Dearer:
    """Many reads at once, each of which costs more than was thought, and says a part of it on the way."""

    items = items

    @read_step(estimate="0.05")
    def look(self, ctx: Any) -> Done:
        ctx.spend(Usage("0.03"), "half")
        return Done("looked", usage=Usage("0.04"))
