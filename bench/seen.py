"""Workflows whose steps leave a line in a file, so that a benchmark sees when they ran, and how often."""

import os
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

from django.conf import settings

from bench import lines
from bench.noop import Size
from taskboard.outcomes import Absent, Ask, Done, Found, NewItem
from taskboard.workflow import REPEATABLE, workflow, write_step

NOTHING = "nothing is done"
HOLD = int(os.environ.get("BENCH_HOLD", "0"))
"""From this call on those of this process do not come back, if it is told so."""
ENDLESS = 3600
_calls = count(1)


def items(self: Any, reading: Any) -> Iterator[NewItem]:
    for number in range(reading.count + 1, int(reading.params["items"]) + 1):
        yield NewItem(f"item_{number:06}")


def find(self: Any, ctx: Any) -> Found | Absent:
    there = any(key == ctx.idempotency_key for _at, key in lines.read(settings.TASKBOARD_VAR))
    return Found("seen") if there else Absent()


def leave(self: Any, ctx: Any) -> Done:
    lines.leave(settings.TASKBOARD_VAR, ctx.idempotency_key)
    if HOLD and next(_calls) >= HOLD:
        time.sleep(ENDLESS)
    return Done("done", external_id="seen")


@workflow("seen", title="Three steps that leave a line", params=Size, parallel=64)
class Seen:
    items = items

    @write_step(find=find, unverified=NOTHING)
    def first(self, ctx: Any) -> Done:
        return leave(self, ctx)

    @write_step(after="first", find=find, unverified=NOTHING)
    def second(self, ctx: Any) -> Done:
        return leave(self, ctx)

    @write_step(after="second", find=find, unverified=NOTHING)
    def third(self, ctx: Any) -> Done:
        return leave(self, ctx)


def ask(self: Any, ctx: Any) -> Ask:
    return Ask("Leave a line", {"key": ctx.item.key})


@workflow("asked", title="A step that waits for a person", params=Size)
class Asked:
    items = items

    @write_step(approval=ask, find=REPEATABLE, unverified=NOTHING)
    def act(self, ctx: Any) -> Done:
        lines.leave(settings.TASKBOARD_VAR, ctx.item.key)
        return Done("done")
