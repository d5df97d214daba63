"""The part of the zoo for a database that goes away: a call that nobody can look up."""

from collections.abc import Callable
from typing import Any

from taskboard.workflow import ASK_A_PERSON, Done, Usage, read_step, workflow, write_step
from tests.workflows import GATE, HowMany, World, items

AT_THE_RESULT: list[Callable[[], object]] = []
"""What happens within the transaction that writes a result."""


def change_ours() -> None:
    for happens in list(AT_THE_RESULT):
        happens()


@workflow("phoning", title="Phoning", params=HowMany, parallel=4)
class Phoning:
    """A call that lasts until the test says so; then a step that comes after it. With the mode `spend` it reports
    what it does when it has been done; with `first` the first item's does not wait."""

    items = items

    @write_step(find=ASK_A_PERSON, unverified="nobody can see it")
    def call(self, ctx: Any) -> Done:
        external_id = World().do(ctx.idempotency_key)
        if ctx.params["mode"] != "first" or ctx.item.params["number"] > 1:
            GATE.wait(60)
        if ctx.params["mode"] == "spend":
            ctx.spend(Usage("0.01"), "minutes")
            ctx.risk("the line was bad")
            ctx.say("hung up")
        return Done("answered", external_id=external_id, commit=change_ours)

    @read_step(after="call")
    def note(self, ctx: Any) -> Done:
        return Done("noted")
