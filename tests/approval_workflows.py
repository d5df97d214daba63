"""Workflows that ask people, with everything that a question may come from and lead to."""

from typing import Any

from taskboard.workflow import Ask, Done, read_step, workflow, write_step
from tests.workflows import HowMany, World, find_effect, items


@workflow("proposing", title="Proposing", params=HowMany)
class Drafting:
    """A draft, a ticket that is opened for good, and a publication that a person must agree to."""

    items = items

    @read_step()
    def draft(self, ctx: Any) -> Done:
        return Done("drafted", outputs={"heeds": list(ctx.instructions)})

    @write_step(after="draft", find=find_effect, unverified="zoo")
    def ticket(self, ctx: Any) -> Done:
        return Done("opened", external_id=World().do(ctx.idempotency_key))

    def may_publish(self, ctx: Any) -> Ask:
        return Ask("Publish it", {"heeds": ctx.outputs["draft"]["heeds"]})

    @write_step(after="ticket", approval=may_publish, find=find_effect, unverified="zoo")
    def publish(self, ctx: Any) -> Done:
        return Done("published", external_id=World().do(ctx.idempotency_key, str(ctx.approved)))


@workflow("priced", title="Priced", params=HowMany)
class Priced:
    """A price that the deciding person may change, within what the workflow allows."""

    items = items

    def needs_manager(self, ctx: Any) -> Ask:
        return Ask("Pay", {"pay": 100, "note": "for the fix"}, editable=("pay", "note"))

    def check(self, action: dict[str, Any]) -> None:
        if action["pay"] > 500:
            raise ValueError("At most 500 can be paid at once.")

    @write_step(approval=needs_manager, check_edit=check, find=find_effect, unverified="zoo")
    def pay(self, ctx: Any) -> Done:
        return Done("paid", external_id=World().do(ctx.idempotency_key, str(ctx.approved)))
