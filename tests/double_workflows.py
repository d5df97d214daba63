"""The part of the zoo whose changes may come to be there twice: a late one is not there yet when it is looked up."""

from datetime import timedelta
from typing import Any

from taskboard.workflow import ASK_A_PERSON, Absent, Done, Retries, Verified, workflow, write_step
from tests.workflows import HowMany, World, items


@workflow("late", title="Late", params=HowMany)
class Late:
    """A call that is not there yet when it is looked up."""

    items = items

    def search(self, ctx: Any) -> Absent:
        return Absent()

    @write_step(find=search, unverified="zoo", estimate="0.10", retry=Retries(first=timedelta(0)))
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("late-named", title="Late and named", params=HowMany)
class LateNamed(Late):
    """The same, of a change that is known by its content."""

    def name(self, ctx: Any) -> str:
        return f"mail to {ctx.item.key}"

    @write_step(find=Late.search, unverified="zoo", effect_key=name)
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("late-proven", title="Late and proven", params=HowMany)
class LateProven(Late):
    """The same, with a proof."""

    def see(self, ctx: Any, done: Done) -> Verified:
        return Verified(f"{done.external_id} is there")

    @write_step(find=Late.search, verify=see)
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))


@workflow("late-blind", title="Late and blind", params=HowMany)
class LateBlind(Late):
    """The same, where nobody can look it up."""

    @write_step(find=ASK_A_PERSON, unverified="zoo")
    def send(self, ctx: Any) -> Done:
        return Done("sent", external_id=World().do(ctx.idempotency_key))
