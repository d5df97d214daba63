"""Workflows that call the peer: one that looks its calls up, one that nobody can look up, one that asks first."""

import os
import time
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import httpx
from django import forms

from taskboard.outcomes import Policy
from taskboard.workflow import (
    ASK_A_PERSON,
    Absent,
    Ask,
    Done,
    Found,
    NotSent,
    Retries,
    StillRunning,
    Usage,
    Verified,
    read_step,
    workflow,
    write_step,
)
from tests.workflows import items

PATIENCE = 1.5
"""How long a call waits for its answer, in seconds: longer than a slow one, shorter than a silent one."""
SETTLED = timedelta(seconds=4)
"""A call that was begun so long ago has had its effect, or never will: the peer throws stale ones away."""
STUBBORN = Retries(times=10_000, first=timedelta(seconds=0.2), longest=timedelta(seconds=1))
PRICE = "0.01"
PEER = httpx.Client(timeout=PATIENCE, limits=httpx.Limits(max_keepalive_connections=0), trust_env=False)
"""A connection for each call: what a peer answers a second time belongs to no other call."""


class ToPeer(forms.Form):
    """How many items, and where the peer is."""

    items = forms.IntegerField(min_value=0, initial=3)
    peer = forms.CharField()


def send(ctx: Any) -> Done:
    """One call; what surely did not arrive is told apart from what may have."""
    headers = {
        "Idempotency-Key": quote(ctx.idempotency_key),
        "X-Process": str(os.getpid()),
        "X-Sent": str(time.monotonic()),
    }
    try:
        answer = PEER.post(f"{ctx.params['peer']}/calls", content=b"{}", headers=headers)
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NotSent(str(error)) from error
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        raise NotSent("it is busy", timedelta(seconds=int(answer.headers["Retry-After"])))
    answer.raise_for_status()
    return Done("sent", external_id=answer.json()["id"], usage=Usage(PRICE))


def find(self: Any, ctx: Any) -> Found | Absent | StillRunning:
    """A peer that is down says nothing; that is no absence."""
    try:
        answer = PEER.get(f"{ctx.params['peer']}/calls/{quote(ctx.idempotency_key)}")
    except httpx.HTTPError:
        return StillRunning(timedelta(seconds=1))
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        return StillRunning(timedelta(seconds=1))
    return Found(answer.json()["id"]) if answer.is_success else Absent()


def see(self: Any, ctx: Any, done: Done) -> Verified:
    """Asks until there is an answer: what was accepted is there."""
    while not isinstance(found := find(self, ctx), Found):
        time.sleep(0.1)
    return Verified(f"{found.external_id} reads back")


@workflow("calling", title="Calling", params=ToPeer, parallel=4)
class Calling:
    """A call that is verified, and one that is not."""

    items = items

    @read_step(estimate=PRICE)
    def look(self, ctx: Any) -> Done:
        return Done(f"saw {ctx.item.label}", usage=Usage(PRICE))

    @write_step(after="look", find=find, verify=see, settle_after=SETTLED, retry=STUBBORN, estimate=PRICE)
    def call(self, ctx: Any) -> Done:
        return send(ctx)

    @write_step(
        after="call", find=find, unverified="it has no reader", settle_after=SETTLED, retry=STUBBORN,
        estimate=PRICE,
    )  # fmt: skip
    def tell(self, ctx: Any) -> Done:
        return send(ctx)


@workflow("shouting", title="Shouting", params=ToPeer, parallel=4)
class Shouting:
    """A call that nobody but a person can look up."""

    items = items

    @write_step(find=ASK_A_PERSON, unverified="nobody can see it", retry=STUBBORN, estimate=PRICE)
    def shout(self, ctx: Any) -> Done:
        return send(ctx)


@workflow("paying", title="Paying", params=ToPeer, parallel=4)
class Paying:
    """A call that a person must agree to."""

    items = items

    def worth_asking(self, ctx: Any) -> Ask:
        return Ask(f"Pay {ctx.item.key}", {"pay": 5, "to": ctx.item.key}, policy=Policy())

    @write_step(
        approval=worth_asking,
        find=find,
        unverified="zoo",
        settle_after=SETTLED,
        retry=STUBBORN,
        estimate=PRICE,
    )
    def pay(self, ctx: Any) -> Done:
        return send(ctx)
