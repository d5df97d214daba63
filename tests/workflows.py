"""The zoo: tiny workflows that behave in every way that the engine must know."""

import sqlite3
import threading
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings

from taskboard.outcomes import NewItem, Policy
from taskboard.workflow import (
    ASK_A_PERSON,
    EVERYTHING,
    REPEATABLE,
    Absent,
    Ask,
    Done,
    Found,
    GiveUp,
    GoBack,
    NotSent,
    NotVerified,
    Retries,
    Retry,
    Skip,
    Usage,
    Verified,
    read_step,
    workflow,
    write_step,
)


class HowMany(forms.Form):
    """The parameters of the zoo."""

    items = forms.IntegerField(min_value=0, initial=3)
    mode = forms.CharField(required=False, initial="")


class World:
    """The outside world of the zoo: a file of its own that counts what was done to it."""

    def __init__(self) -> None:
        self.path = Path(settings.TASKBOARD_VAR) / "world.sqlite3"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._open() as db:
            db.execute("CREATE TABLE IF NOT EXISTS effects (id INTEGER PRIMARY KEY, key TEXT, text TEXT)")

    def do(self, key: str, text: str = "") -> str:
        """Every call has its effect: a doubled one is seen."""
        with self._open() as db:
            return f"E-{db.execute('INSERT INTO effects (key, text) VALUES (?, ?)', (key, text)).lastrowid}"

    def find(self, key: str) -> str:
        with self._open() as db:
            row = db.execute("SELECT id FROM effects WHERE key = ?", (key,)).fetchone()
        return f"E-{row[0]}" if row else ""

    def keys(self) -> list[str]:
        with self._open() as db:
            return [row[0] for row in db.execute("SELECT key FROM effects ORDER BY id")]

    def texts(self) -> list[str]:
        with self._open() as db:
            return [row[0] for row in db.execute("SELECT text FROM effects ORDER BY id")]

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=20)


def items(self: Any, reading: Any) -> Iterator[NewItem]:
    """`items` numbered items, going on behind the last one that was stored."""
    for number in range(reading.count + 1, int(reading.params["items"]) + 1):
        yield NewItem(f"item_{number:03}", label=f"Item {number}", params={"number": number})


def find_effect(self: Any, ctx: Any) -> Found | Absent:
    external_id = World().find(ctx.idempotency_key)
    return Found(external_id) if external_id else Absent()


def see_effect(self: Any, ctx: Any, done: Done) -> Verified | NotVerified:
    there = World().find(ctx.idempotency_key)
    return Verified(f"{there} reads back") if there else NotVerified(f"there is no {ctx.idempotency_key}")


@workflow("linear", title="Linear", params=HowMany)
class Linear:
    """A read, a write that is verified, a write that is not."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done(f"saw {ctx.item.label}", outputs={"number": ctx.item.params["number"]})

    @write_step(after="look", find=find_effect, verify=see_effect)
    def write(self, ctx: Any) -> Done:
        return Done(
            "written", external_id=World().do(ctx.idempotency_key, str(ctx.outputs["look"]["number"]))
        )

    @write_step(after="write", find=find_effect, unverified="it has no reader")
    def tell(self, ctx: Any) -> Done:
        return Done("told", external_id=World().do(ctx.idempotency_key))


@workflow("moody", title="Moody", params=HowMany, max_go_backs=2)
class Moody:
    """One step whose answer is chosen by the parameter `mode`."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @write_step(after="look", find=find_effect, unverified="zoo", retry=Retries(times=2, first=timedelta(0)))
    def act(self, ctx: Any) -> Any:
        return getattr(self, f"_{ctx.params['mode']}")(ctx)

    def _done(self, ctx: Any) -> Done:
        return Done("acted", external_id=World().do(ctx.idempotency_key))

    def _retry(self, ctx: Any) -> Any:
        return Retry("not yet") if ctx.attempt < 3 else self._done(ctx)

    def _not_sent(self, ctx: Any) -> Any:
        raise NotSent("connection refused")

    def _answer_lost(self, ctx: Any) -> Any:
        World().do(ctx.idempotency_key)
        raise ConnectionResetError("the answer was lost")

    def _nothing_done(self, ctx: Any) -> Any:
        raise ConnectionResetError("nothing arrived")

    def _give_up(self, ctx: Any) -> GiveUp:
        return GiveUp("cannot be done")

    def _skip(self, ctx: Any) -> Skip:
        return Skip("not needed")

    def _go_back(self, ctx: Any) -> GoBack:
        return GoBack("look", "look again")

    def _nonsense(self, ctx: Any) -> Any:
        return {"not": "an outcome"}

    def _odd(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        return Done(
            "a\x00b \ud800", outputs={"\x00k": float("nan"), "x": [float("inf")]}, external_id=external_id
        )


@workflow("asking", title="Asking", params=HowMany)
class Asking:
    """A person must agree before the write."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked", outputs={"price": 5})

    def needs_manager(self, ctx: Any) -> Ask:
        payload = {"pay": ctx.outputs["look"]["price"], "to": ctx.item.key}
        return Ask(f"Pay 5 to {ctx.item.key}", payload, consequence="Money leaves", policy=Policy())

    @write_step(after="look", approval=needs_manager, find=find_effect, unverified="zoo")
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key, str(ctx.approved)))


@workflow("blind", title="Blind", params=HowMany)
class Blind:
    """A write that nobody but a person can look up."""

    items = items

    @write_step(find=ASK_A_PERSON, unverified="nobody can see it")
    def shout(self, ctx: Any) -> Done:
        World().do(ctx.idempotency_key)
        raise TimeoutError("no answer")


@workflow("paid", title="Paid", params=HowMany, parallel=4)
class Paid:
    """Every step costs ten cents, or what the parameter `mode` says."""

    items = items

    @read_step(estimate=lambda params: Decimal(params["mode"] or "0.10"))
    def look(self, ctx: Any) -> Done:
        return Done("looked", usage=Usage(ctx.params["mode"] or "0.10", model="zoo-1", calls=1))


@workflow("diamond", title="Diamond", params=HowMany)
class Diamond:
    """Two steps side by side, one that waits for both, two for the whole task."""

    items = items

    @read_step()
    def start(self, ctx: Any) -> Done:
        return Done("started")

    @read_step(after="start")
    def left(self, ctx: Any) -> Done:
        return Done("left", outputs={"side": "left"})

    @read_step(after="start")
    def right(self, ctx: Any) -> Any:
        return (
            Skip("not for item 2")
            if ctx.item.params["number"] == 2
            else Done("right", outputs={"side": "right"})
        )

    @read_step(after=("left", "right"))
    def join(self, ctx: Any) -> Done:
        return Done(" and ".join(sorted(o["side"] for o in ctx.outputs.values() if o)))

    @write_step(after_all="left", find=REPEATABLE, unverified="zoo")
    def middle(self, ctx: Any) -> Done:
        return Done(f"{sum(1 for _ in ctx.items())} items")

    @write_step(after_all=EVERYTHING, find=REPEATABLE, unverified="zoo")
    def report(self, ctx: Any) -> Done:
        return Done(", ".join(sorted({item.status for item in ctx.items()})))


GATE = threading.Event()
"""Tests open it to let the steps of `slow` go on."""


@workflow("slow", title="Slow", params=HowMany)
class Slow:
    """A write that lasts until the test says so."""

    items = items

    @write_step(find=find_effect, unverified="zoo")
    def wait(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        GATE.wait(60)
        return Done("waited", external_id=external_id)
