"""The part of the zoo for effects: writes that are named by their content, taken back, settled late."""

from datetime import timedelta
from typing import Any

from taskboard.workflow import (
    ASK_A_PERSON,
    EVERYTHING,
    EXTERNAL_ID,
    REPEATABLE,
    Ask,
    CannotTell,
    Done,
    Found,
    GiveUp,
    GoBack,
    NotSent,
    Retries,
    Skip,
    Verified,
    read_step,
    workflow,
    write_step,
)
from tests.workflows import GATE, HowMany, World, find_effect, items, see_effect

KEPT: list[tuple[str, str]] = []
"""What `on_done` was told: item key and external id."""
PREPARED: list[str] = []
"""The items for which an approval was worked out."""


def ticket_key(self: Any, ctx: Any) -> Any:
    odd: dict[str, Any] = {"none": "", "number": 5, "long": f"ticket:{ctx.item.key}:" + "x" * 400}
    return odd.get(ctx.params["mode"], f"ticket:{ctx.item.key}")


@workflow("ticketing", title="Ticketing", params=HowMany)
class Ticketing:
    """A ticket for each item, named by the item; a step behind it reads its number."""

    items = items

    def keep(self, ctx: Any, done: Done) -> None:
        KEPT.append((ctx.item.key, done.external_id))

    @write_step(
        find=find_effect, verify=see_effect, effect_key=ticket_key, on_done=keep, by_hand={"id": EXTERNAL_ID},
        retry=Retries(times=1, first=timedelta(0)),
    )  # fmt: skip
    def open(self, ctx: Any) -> Any:
        if ctx.params["mode"] == "not sent":
            raise NotSent("connection refused")
        if ctx.params["mode"] == "lost":
            World().do(ctx.idempotency_key)
            raise ConnectionResetError("the answer was lost")
        early = {"skip": Skip("not needed"), "give up": GiveUp("refused"), "back": GoBack("open", "?")}
        if ctx.params["mode"] in early:
            return early[ctx.params["mode"]]
        external_id = World().do(ctx.idempotency_key)
        if ctx.params["mode"] == "slow":
            GATE.wait(60)
        return Done("opened", outputs={"id": external_id}, external_id=external_id)

    @read_step(after="open")
    def read(self, ctx: Any) -> Done:
        return Done(f"ticket {ctx.outputs['open'].get('id', 'without a number')}")


@workflow("whisper", title="Whisper", params=HowMany)
class Whisper:
    """A named write that nobody but a person can look up; with the mode `lost` its answer is lost."""

    items = items

    def whom(self, ctx: Any) -> str:
        return f"whisper:{ctx.item.key}"

    @write_step(
        find=ASK_A_PERSON, unverified="zoo", effect_key=whom,
        by_hand={"id": EXTERNAL_ID, "place": "Where it was said"},
    )  # fmt: skip
    def whisper(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        if ctx.params["mode"] == "lost":
            raise TimeoutError("no answer")
        return Done("whispered", external_id=external_id)

    @read_step(after="whisper")
    def read(self, ctx: Any) -> Done:
        return Done(f"said {ctx.outputs['whisper'].get('place', 'somewhere')}")


@workflow("restorer", title="Restorer", params=HowMany, max_go_backs=3)
class Restorer:
    """Changes something, finds it wrong as often as `mode` says, takes it back and does it again."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked", outputs={"turn": ctx.revision})

    def take_back(self, ctx: Any) -> None:
        World().do(ctx.idempotency_key, f"undo {ctx.step} {ctx.external_id} {ctx.outputs[ctx.step]['was']}")

    @write_step(after="look", find=find_effect, unverified="zoo", undo=take_back, on_go_back="undo")
    def change(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key, f"change {ctx.outputs['look']['turn']}")
        return Done("changed", outputs={"was": f"old {ctx.revision}"}, external_id=external_id)

    @read_step(after="change")
    def check(self, ctx: Any) -> Any:
        return GoBack("look", "not good yet") if ctx.revision <= int(ctx.params["mode"]) else Done("good")

    @write_step(after_all=EVERYTHING, find=REPEATABLE, unverified="zoo")
    def report(self, ctx: Any) -> Done:
        World().do(ctx.idempotency_key, "report")
        return Done("reported")


@workflow("repeater", title="Repeater", params=HowMany, max_go_backs=3)
class Repeater:
    """Goes back once over a named write that is to be repeated: the same content, the same effect."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked", outputs={"seen": ctx.revision if ctx.params["mode"] == "changed" else 1})

    def what(self, ctx: Any) -> str:
        return f"{ctx.item.key}:{ctx.outputs['look']['seen']}"

    @write_step(after="look", find=find_effect, unverified="zoo", effect_key=what, on_go_back="repeat")
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))

    @read_step(after="send")
    def check(self, ctx: Any) -> Any:
        return GoBack("look", "once more") if ctx.revision == 1 else Done("fine")


@workflow("slowly", title="Slowly", params=HowMany)
class Slowly:
    """A write whose call may still arrive for a while after it was cut off."""

    items = items

    @write_step(
        find=find_effect, unverified="zoo", settle_after=timedelta(hours=1),
        retry=Retries(times=1, first=timedelta(0)),
    )  # fmt: skip
    def send(self, ctx: Any) -> Any:
        if ctx.attempt == 1:
            raise ConnectionResetError("cut off")
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("costly", title="Costly", params=HowMany)
class Costly:
    """A dear step that a person has to agree to if `mode` says so."""

    items = items

    def price(self, ctx: Any) -> Any:
        PREPARED.append(ctx.item.key)
        if ctx.params["mode"] == "gate":
            GATE.wait(60)
        return Ask(f"Pay for {ctx.item.key}", {"pay": 1}) if ctx.params["mode"] == "ask" else None

    @write_step(approval=price, find=find_effect, unverified="zoo", estimate="1.00")
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key))


@workflow("vague", title="Vague", params=HowMany)
class Vague:
    """A named write whose `find` answers as `mode` says, and whose effect was moved out of sight."""

    items = items

    def seek(self, ctx: Any) -> Any:
        return Found("E-77") if ctx.params["mode"] == "found" else CannotTell("no such search")

    def prove(self, ctx: Any, done: Done) -> Any:
        return Verified(f"seen under {ctx.idempotency_key}") if ctx.params["mode"] != "hidden" else None

    def what(self, ctx: Any) -> str:
        return f"vague:{ctx.item.key}"

    @write_step(find=seek, verify=prove, effect_key=what)
    def send(self, ctx: Any) -> Any:
        external_id = World().do(ctx.idempotency_key)
        if ctx.params["mode"] == "lost":
            raise TimeoutError("no answer")
        return Done("sent", external_id=external_id)
