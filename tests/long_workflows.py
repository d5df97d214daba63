"""The part of the zoo for interruptions: sources that are cut off, steps that last, hang or kill."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from taskboard.workflow import Done, GoBack, NewItem, Retry, Usage, read_step, workflow, write_step
from tests.workflows import GATE, HowMany, World, find_effect, items

INTERRUPTIONS: dict[int, Callable[[], None]] = {}
"""What tests let happen before the item of that number is read."""


@workflow("source", title="Source", params=HowMany)
class Source:
    """Items that are read one by one, under names that need cleaning."""

    def items(self, reading: Any) -> Iterator[NewItem]:
        names = {"odd": "\u200b", "whole": "_task"}
        for number in range(reading.count + 1, int(reading.params["items"]) + 1):
            INTERRUPTIONS.pop(number, lambda: None)()
            name = names.get(reading.params["mode"], f" caf\u0065\u0301 {number}\u00a0")
            yield NewItem(name, params={"number": number})
            if reading.params["mode"] == "twice":
                yield NewItem(f"caf\u00e9 {number}")

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")


@workflow("hanging", title="Hanging", params=HowMany)
class Hanging:
    """A call that has its effect and then does not come back in time."""

    items = items

    @write_step(find=find_effect, unverified="zoo", time_limit=timedelta(milliseconds=300))
    def hang(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("came back", external_id=external_id)


@workflow("five", title="Five", params=HowMany, parallel=1)
class Five:
    """Five steps one behind the other; the first lasts until the test says so."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def one(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("one", external_id=external_id, usage=Usage("0.01"))

    @write_step(after="one", find=find_effect, unverified="zoo")
    def two(self, ctx: Any) -> Done:
        return Done("two", external_id=World().do(ctx.idempotency_key))

    @read_step(after="two")
    def three(self, ctx: Any) -> Done:
        return Done("three")

    @read_step(after="three")
    def four(self, ctx: Any) -> Done:
        return Done("four")

    @read_step(after="four")
    def five(self, ctx: Any) -> Done:
        return Done("five")


@workflow("deadly", title="Deadly", params=HowMany)
class Deadly:
    """A step that kills its worker."""

    items = items

    @read_step()
    def die(self, ctx: Any) -> Done:
        os.kill(os.getpid(), signal.SIGKILL)
        return Done("never")


@workflow("naps", title="Naps", params=HowMany, parallel=2)
class Naps:
    """Writes that take a moment."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def nap(self, ctx: Any) -> Done:
        time.sleep(0.1)
        return Done("rested", external_id=World().do(ctx.idempotency_key))


@workflow("stale", title="Stale", params=HowMany)
class Stale:
    """A write that waits for an hour, on a fact that is worth less."""

    items = items

    @read_step(fresh_for=timedelta(hours=4))
    def read(self, ctx: Any) -> Done:
        return Done("read")

    @write_step(after="read", find=find_effect, unverified="zoo")
    def act(self, ctx: Any) -> Retry:
        return Retry("not yet", after=timedelta(hours=1))


@workflow("beside", title="Beside", params=HowMany)
class Beside:
    """A step that goes back while a write beside it is in the air."""

    items = items

    @read_step()
    def start(self, ctx: Any) -> Done:
        return Done("started")

    @write_step(after="start", find=find_effect, unverified="zoo")
    def send(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("sent", external_id=external_id)

    @read_step(after="start")
    def check(self, ctx: Any) -> Any:
        return GoBack("start", "once more") if ctx.revision == 1 else Done("fine")
