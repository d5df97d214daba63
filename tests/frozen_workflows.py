"""The part of the zoo that names what it writes to."""

import time
from collections.abc import Callable
from typing import Any

from taskboard.outcomes import Policy
from taskboard.workflow import Ask, Done, read_step, workflow, write_step
from tests.workflows import HowMany, World, find_effect, items

MEANWHILE: dict[str, Callable[[], None]] = {}
"""What tests let happen while the step of that name runs, or while its approval is worked out; once."""


def meanwhile(name: str) -> None:
    MEANWHILE.pop(name, lambda: None)()


@workflow("outside", title="Outside", params=HowMany, parallel=4)
class Outside:
    """Reads, writes to a system, writes to another one, writes to none that is named."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        meanwhile("look")
        return Done("looked")

    @write_step(after="look", system="desk", find=find_effect, unverified="zoo")
    def send(self, ctx: Any) -> Done:
        meanwhile("send")
        return Done("sent", external_id=World().do(ctx.idempotency_key))

    @write_step(after="look", system="post", find=find_effect, unverified="zoo")
    def tell(self, ctx: Any) -> Done:
        return Done("told", external_id=World().do(ctx.idempotency_key))

    @write_step(after="look", find=find_effect, unverified="zoo")
    def jot(self, ctx: Any) -> Done:
        return Done("jotted", external_id=World().do(ctx.idempotency_key))


def maybe(self: Any, ctx: Any) -> Ask | None:
    meanwhile("approval")
    return Ask("Send it", payload={}, policy=Policy()) if ctx.params["mode"] == "ask" else None


@workflow("outside-asked", title="Outside, asked", params=HowMany)
class OutsideAsked:
    """A write to a system that a person may have to agree to."""

    items = items

    @write_step(system="desk", approval=maybe, find=find_effect, unverified="zoo")
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("outside-slowly", title="Outside, slowly", params=HowMany, parallel=2)
class OutsideSlowly:
    """Writes to a system that take a moment each."""

    items = items

    @write_step(system="desk", find=find_effect, unverified="zoo")
    def send(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        time.sleep(0.2)
        return Done("sent", external_id=external_id)
