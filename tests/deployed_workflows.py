"""One workflow as it reads before and after a deploy."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from taskboard import workflow as registry
from taskboard.workflow import Ask, Done, read_step, workflow, write_step
from tests.workflows import HowMany, World, find_effect, items


class Before:
    """A read and a write."""

    items = items

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked")

    @write_step(after="look", find=find_effect, unverified="zoo")
    def write(self, ctx: Any) -> Done:
        return Done("written", external_id=World().do(ctx.idempotency_key))


class Reworded(Before):
    """Only what happens inside of a step is new."""

    @read_step()
    def look(self, ctx: Any) -> Done:
        return Done("looked twice")


class Longer(Before):
    """A step comes in between, and the write waits for it."""

    @read_step(after="look")
    def weigh(self, ctx: Any) -> Done:
        return Done("weighed")

    @write_step(after="weigh", find=find_effect, unverified="zoo")
    def write(self, ctx: Any) -> Done:
        return Done("written", external_id=World().do(ctx.idempotency_key))


class Further(Before):
    """A further step at the end; the write is as it was."""

    @read_step(after="write")
    def check(self, ctx: Any) -> Done:
        return Done("checked")


class Reporting(Before):
    """A first step of the whole task."""

    @read_step(after_all="write")
    def report(self, ctx: Any) -> Done:
        return Done("reported")


class Asking(Before):
    """The write has a price and may have to be agreed to."""

    def never(self, ctx: Any) -> Ask | None:
        return None

    @write_step(after="look", approval=never, find=find_effect, unverified="zoo", estimate="0.10")
    def write(self, ctx: Any) -> Done:
        return Done("written", external_id=World().do(ctx.idempotency_key))


class Shorter:
    """The write is gone."""

    items = items
    look = Before.look


def register(cls: type) -> None:
    workflow("deployed", title="Deployed", params=HowMany)(cls)


@contextmanager
def deployed(cls: type) -> Iterator[None]:
    """While this class is the workflow; the former one comes back."""
    former = registry.get("deployed")
    register(cls)
    try:
        yield
    finally:
        registry._registry["deployed"] = former


register(Before)
