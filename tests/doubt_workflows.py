"""The part of the zoo whose outcomes are in doubt: look-ups that hang, answers that only a row remembers, and what
no engine should stumble over."""

import sys
import threading
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from taskboard.workflow import (
    ASK_A_PERSON,
    Absent,
    Ask,
    Done,
    Found,
    GiveUp,
    GoBack,
    NotVerified,
    Retries,
    Usage,
    Verified,
    read_step,
    workflow,
    write_step,
)
from tests.workflows import GATE, HowMany, World, find_effect, items

ASKED, ANSWERS = threading.Event(), threading.Event()
"""That a look-up has begun, and that it may end."""
ASKINGS: list[str] = []
"""What was looked up."""
PROVEN: list[str] = []
"""What was verified."""


@workflow("lingering", title="Lingering", params=HowMany)
class Lingering:
    """A call that comes back late, and a look-up that lasts until the test says so."""

    items = items

    def search(self, ctx: Any) -> Found | Absent:
        ASKED.set()
        ASKINGS.append(ctx.item.key)
        ANSWERS.wait(20)
        return find_effect(self, ctx)

    @write_step(find=search, unverified="zoo", estimate="0.10", time_limit=timedelta(milliseconds=300))
    def linger(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("came back", external_id=external_id, usage=Usage("0.03"))


@workflow("letter", title="Letter", params=HowMany)
class Letter:
    """A call that nobody can look up, with a proof."""

    items = items

    def see(self, ctx: Any, done: Done) -> Verified:
        PROVEN.append(f"{done.external_id} {done.outputs['to']}")
        return Verified("it lies in the box")

    @write_step(find=ASK_A_PERSON, verify=see)
    def send(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("sent", external_id=external_id, outputs={"to": ctx.item.key})


@workflow("forgetful", title="Forgetful", params=HowMany)
class Forgetful:
    """A call that is accepted and paid for, and of which the outside world knows nothing afterwards."""

    items = items

    def search(self, ctx: Any) -> Absent:
        return Absent()

    def see(self, ctx: Any, done: Done) -> Any:
        return NotVerified("it is not there")

    @write_step(find=search, verify=see, estimate="0.10")
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key), usage=Usage("0.04"))


@workflow("sided", title="Sided", params=HowMany, parallel=2)
class Sided:
    """Goes back while a read beside it is in the air, which costs something."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @read_step(after="look", estimate="0.10")
    def side(self, ctx: Any) -> Done:
        if ctx.revision == 1:
            World().do("side")
            GATE.wait(60)
        return Done("aside", usage=Usage("0.03"))

    @read_step(after="look")
    def check(self, ctx: Any) -> Any:
        if ctx.revision > 1:
            return Done("fine")
        ASKED.wait(20)
        return GoBack("look", "look better")


@workflow("forked", title="Forked", params=HowMany)
class Forked:
    """Two first steps, one of which may have to be agreed to."""

    items = items

    def never(self, ctx: Any) -> Ask | None:
        return None

    @write_step(approval=never, find=find_effect, unverified="zoo", estimate="0.10")
    def left(self, ctx: Any) -> Done:
        return Done("left", external_id=World().do(ctx.idempotency_key))

    @read_step()
    def right(self, ctx: Any) -> Done:
        return Done("right")


def no_price(params: Mapping[str, Any]) -> Decimal:
    return {"known": Decimal("0.10")}[params["mode"]]


@workflow("priceless", title="Priceless", params=HowMany)
class Priceless:
    """A first step with a price, and a second one whose price can be worked out in one mode only."""

    items = items

    @read_step(estimate="0.01")
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @read_step(after="look", estimate=no_price)
    def buy(self, ctx: Any) -> Done:
        return Done("bought")


@workflow("quitter", title="Quitter", params=HowMany)
class Quitter:
    """Ends the process where it may only keep its result."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def keep(self, ctx: Any) -> Done:
        return Done("kept", external_id=World().do(ctx.idempotency_key), commit=sys.exit)


@workflow("summing-up", title="Summing up", params=HowMany)
class SummingUp:
    """A step of the whole task that has a price and may have to be agreed to."""

    items = items

    def never(self, ctx: Any) -> Ask | None:
        return None

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @write_step(after_all="look", approval=never, find=find_effect, unverified="zoo", estimate="0.10")
    def sum_up(self, ctx: Any) -> Done:
        return Done("summed up", external_id=World().do(ctx.idempotency_key))


PRICES: list[str] = []
"""What the market says, the last of it now."""


@workflow("aging", title="Aging", params=HowMany)
class Aging:
    """A payment that a person agrees to, of a price that may have changed until then."""

    items = items

    @read_step(fresh_for=timedelta(hours=4))
    def price(self, ctx: Any) -> Any:
        return Done("read", outputs={"price": PRICES[-1]}) if PRICES else GiveUp("nothing is sold")

    @read_step(after="price")
    def sum(self, ctx: Any) -> Done:
        return Done("added up", outputs={"sum": f"2 x {ctx.outputs['price']['price']}"})

    def ask(self, ctx: Any) -> Ask:
        return Ask(f"Pay for {ctx.item.key}", {"sum": ctx.outputs["sum"]["sum"]})

    @write_step(after="sum", approval=ask, find=find_effect, unverified="zoo")
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key, str(ctx.approved)))


@workflow("fan", title="Fan", params=HowMany)
class Fan:
    """Two writes beside each other that rest on one fact."""

    items = items

    @read_step(fresh_for=timedelta(hours=4))
    def read(self, ctx: Any) -> Done:
        return Done("read")

    @write_step(after="read", find=find_effect, unverified="zoo")
    def left(self, ctx: Any) -> Done:
        return Done("left", external_id=World().do(ctx.idempotency_key))

    @write_step(after="read", find=find_effect, unverified="zoo")
    def right(self, ctx: Any) -> Done:
        return Done("right", external_id=World().do(ctx.idempotency_key))


@workflow("dozing", title="Dozing", params=HowMany)
class Dozing:
    """A read that does not answer in time, and a write whose question is not worked out in time."""

    items = items

    def doze(self, ctx: Any) -> Ask:
        GATE.wait(60)
        return Ask("Pay", {})

    @read_step(time_limit=timedelta(milliseconds=300))
    def look(self, ctx: Any) -> Done:
        if ctx.params["mode"] == "look":
            GATE.wait(60)
        return Done("looked")

    @write_step(
        after="look", approval=doze, find=find_effect, unverified="zoo", estimate="0.10",
        retry=Retries(times=1, first=timedelta(0)), time_limit=timedelta(milliseconds=300),
    )  # fmt: skip
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key))
