"""The odder half of the zoo: answers that no author should give, and shapes that are easy to get wrong."""

import sys
from datetime import timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from taskboard.models import Effect
from taskboard.workflow import (
    EVERYTHING,
    REPEATABLE,
    Ask,
    CannotTell,
    Done,
    Found,
    GiveUp,
    GoBack,
    NewArtifact,
    NotVerified,
    Retries,
    Retry,
    StillRunning,
    Usage,
    read_step,
    workflow,
    write_step,
)
from tests.workflows import GATE, HowMany, World, find_effect, items


@workflow("moods", title="Moods", params=HowMany, max_go_backs=2)
class Moods:
    """Answers that no author should give, chosen by the parameter `mode`."""

    items = items

    @read_step(retry=Retries(times=1, first=timedelta(0)))
    def look(self, ctx: Any) -> Any:
        answers: dict[str, Any] = {
            "none": None,
            "exit": lambda: sys.exit("enough"),
            "class": lambda: _raise(type("E" * 300, (Exception,), {})("a long name")),
            "outputs": Done(outputs=5),
            "deep": Done("deep", outputs={"deep": _nested(5000)}),
            "long": Done("long", outputs={"number": 10**6000}),
            "cost": Done("dear", usage=Usage("nan")),
            "negative": Done("cheap", usage=Usage("-1", calls=-5, seconds=float("nan"), model="a\x00b")),
            "usage": Done("odd", usage=5),
            "after": Retry("soon", after=5),
            "nowhere": GoBack("there", "lost"),
            "name": Done("named", artifacts=[NewArtifact("")]),
            "huge": Done("x" * 100_000, outputs={"text": "y" * 200_000}),
        }
        answer = answers[ctx.params["mode"]]
        return answer() if callable(answer) else answer


@workflow("finder", title="Finder", params=HowMany)
class Finder:
    """A write whose answer is lost, and a `find` whose answer is chosen by the parameter `mode`."""

    items = items

    def find_by_mode(self, ctx: Any) -> Any:
        mode = ctx.params["mode"]
        if mode == "down":
            raise ConnectionRefusedError("the tracker is down")
        answers = {
            "nothing": None,
            "false": False,
            "text": "E-1",
            "cannot": CannotTell("no such search"),
            "running": StillRunning(timedelta(seconds=1)),
            "odd": Found("E-1", outputs=7),
        }
        return answers[mode]

    @write_step(find=find_by_mode, unverified="zoo", retry=Retries(times=2, first=timedelta(0)))
    def send(self, ctx: Any) -> Any:
        World().do(ctx.idempotency_key)
        raise ConnectionResetError("the answer was lost")


@workflow("prover", title="Prover", params=HowMany)
class Prover:
    """A write whose `verify` answers as the parameter `mode` says."""

    items = items

    def prove(self, ctx: Any, done: Done) -> Any:
        if ctx.params["mode"] == "raises":
            raise TimeoutError("no answer")
        return {"no": NotVerified("it is not there"), "none": None, "true": True}[ctx.params["mode"]]

    @write_step(find=find_effect, verify=prove)
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("worried", title="Worried", params=HowMany)
class Worried:
    """A first step whose `approval` asks in an odd way."""

    items = items

    def worry(self, ctx: Any) -> Any:
        if ctx.params["mode"] == "raises":
            raise KeyError("price")
        payload: dict[str, Any] = {"float": {"pay": 0.1}, "nul": {"to": "a\x00b"}}.get(ctx.params["mode"], {})
        return True if ctx.params["mode"] == "true" else Ask("Pay", payload)

    @write_step(
        approval=worry, find=find_effect, unverified="zoo", retry=Retries(times=1, first=timedelta(0))
    )
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key, str(ctx.approved)))


@workflow("ending", title="Ending", params=HowMany)
class Ending:
    """Whole-task steps that come after the last step of all items, declared from the last to the first."""

    items = items

    @write_step(after_all=EVERYTHING, find=REPEATABLE, unverified="zoo")
    def report(self, ctx: Any) -> Done:
        World().do("report")
        return Done("reported")

    @write_step(after="groups", after_all="look", find=REPEATABLE, unverified="zoo")
    def publish(self, ctx: Any) -> Done:
        World().do("publish")
        return Done("published")

    @write_step(after_all="look", find=REPEATABLE, unverified="zoo")
    def groups(self, ctx: Any) -> Any:
        if ctx.params["mode"] == "gives up":
            return GiveUp("no groups")
        World().do("groups")
        return Done("grouped")

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")


@workflow("drafting", title="Drafting", params=HowMany)
class Drafting:
    """Work before the question is a step of its own."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def draft(self, ctx: Any) -> Done:
        return Done("drafted", external_id=World().do(ctx.idempotency_key, "draft"))

    def ask(self, ctx: Any) -> Ask:
        return Ask(f"Publish {ctx.item.key}", {"publish": ctx.item.key})

    @write_step(after="draft", approval=ask, find=find_effect, unverified="zoo")
    def publish(self, ctx: Any) -> Done:
        return Done("published", external_id=World().do(ctx.idempotency_key, "publish"))


@workflow("rework", title="Rework", params=HowMany, max_go_backs=2)
class Rework:
    """Goes back once from behind a write that is kept and one that is repeated; declared out of order."""

    items = items

    @read_step(after=("keep", "again"))
    def check(self, ctx: Any) -> Any:
        return GoBack("look", "look better") if ctx.revision <= int(ctx.params["mode"]) else Done("fine")

    @write_step(after="look", find=find_effect, unverified="zoo", on_go_back="repeat")
    def again(self, ctx: Any) -> Done:
        return Done("again", external_id=World().do(ctx.idempotency_key))

    @write_step(after="look", find=find_effect, unverified="zoo")
    def keep(self, ctx: Any) -> Done:
        return Done("kept", external_id=World().do(ctx.idempotency_key))

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")


@workflow("keeper", title="Keeper", params=HowMany)
class Keeper:
    """A step that keeps its result in our own database, in the transaction that marks it done."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def keep(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("kept", external_id=external_id, commit=partial(self._note, ctx))

    def _note(self, ctx: Any) -> None:
        if ctx.params["mode"] == "fails":
            raise ValueError("no room\x00")
        Effect.objects.create(key=f"note of {ctx.item.key}", at=timezone.now())
        if ctx.params["mode"] == "fails half-way":
            raise ValueError("no room for the rest")


@workflow("dear", title="Dear", params=HowMany, parallel=3)
class Dear:
    """Reports its costs while it runs, some beyond what was estimated."""

    items = items

    @read_step(estimate="0.05")
    def look(self, ctx: Any) -> Done:
        ctx.spend(Usage("0.03", model="zoo-1"), "first")
        ctx.spend(Usage("0.03", model="zoo-1"), "first")
        return Done("looked", usage=Usage("0.04"))


def _raise(error: Exception) -> None:
    raise error


def _nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner
