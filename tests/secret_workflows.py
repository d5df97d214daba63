"""The part of the zoo that is given a secret, and hands it on in every way that it should not."""

import hashlib
import logging
from typing import Any
from urllib.parse import quote

from django import forms

from taskboard.outcomes import NewArtifact, Policy
from taskboard.workflow import Ask, Done, Retries, SecretField, read_step, workflow, write_step
from tests.workflows import World, find_effect, items

log = logging.getLogger("tests.secrets")


class Confidential(forms.Form):
    """Parameters of which one is nobody's business."""

    items = forms.IntegerField(min_value=0, initial=1)
    place = forms.CharField(initial="here")
    token = SecretField(required=False)


def maybe(self: Any, ctx: Any) -> Ask | None:
    if ctx.params["place"] != "ask":
        return None
    return Ask(f"Use {ctx.params['token']}", payload={"with": ctx.params["token"]}, policy=Policy())


@workflow("confidential", title="Confidential", params=Confidential)
class Leaky:
    """A step that fails with its secret in the error, logs it and hands it on; and one that uses it."""

    items = items

    @read_step(retry=Retries(times=2))
    def leak(self, ctx: Any) -> Done:
        token = ctx.params["token"]
        ctx.say(f"I have {token}")
        ctx.risk(f"Somebody may see {token}")
        log.warning("using %s", token)
        if ctx.attempt == 1:
            raise RuntimeError(f"401 for Bearer {token}")
        report = NewArtifact("report.txt", content=f"token={token}".encode())
        return Done(
            f"with {token}", outputs={"url": f"https://example.org/?t={quote(token)}"}, artifacts=[report]
        )

    @write_step(after="leak", find=find_effect, unverified="zoo", approval=maybe)
    def use(self, ctx: Any) -> Done:
        used = hashlib.sha256(ctx.params["token"].encode()).hexdigest()
        return Done("used", external_id=World().do(ctx.idempotency_key, used))
