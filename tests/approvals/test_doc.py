"""What docs/approvals.md says is what the code does."""

import re
import shlex
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from django.contrib.auth.models import User
from django.core.management import call_command

from approvals import bulk, sampling
from approvals.cards import reading
from approvals.models import Approval
from approvals.telling import payloads, posting, webhooks
from taskboard.outcomes import Policy
from tests.approvals.receiver import SECRET
from tests.factories import make_approval

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "approvals.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def checker() -> Callable[..., bool]:
    """The function of the page, as a reader would copy it."""
    copied: dict[str, Any] = {}
    exec(block("python"), copied)  # noqa: S102
    return cast(Callable[..., bool], copied["is_genuine"])


def test_the_check_of_the_page_knows_our_messages_and_no_others() -> None:
    body = '{"type": "approval.asked"}'
    headers = posting.signed(SECRET, "msg_1", int(time.time()), body)
    genuine = checker()
    assert genuine(SECRET, headers, body.encode())
    assert not genuine(SECRET, headers, body.replace("asked", "approved").encode())
    assert not genuine(posting.new_secret(), headers, body.encode())
    old = posting.signed(SECRET, "msg_1", int(time.time()) - 3600, body)
    assert not genuine(SECRET, old, body.encode())


def test_it_lists_every_field_of_a_policy() -> None:
    table = PAGE[PAGE.index("| `Policy` |") : PAGE.index("Administrators override it")]
    assert {field.name for field in fields(Policy)} == set(
        re.findall(r"^\| `([a-z_]+)` \|", table, re.MULTILINE)
    )


def test_it_lists_every_event_and_every_pause() -> None:
    told = set(re.findall(r"`(approval\.\w+)`", PAGE))
    assert told == {payloads.ASKED, payloads.PASSED_ON, *payloads.CLOSED}
    units = {"s": 1, "min": 60, "h": 3600}
    sentence = PAGE[PAGE.index("is sent again after") - 80 : PAGE.index("under the same `webhook-id`")]
    pauses = re.findall(r"(\d+) (s|min|h)\b", sentence.replace("\n", " "))
    assert tuple(int(number) * units[unit] for number, unit in pauses) == webhooks.PAUSES


def test_its_numbers_are_those_of_the_code() -> None:
    assert f"{reading.LONG:,} characters or {reading.LONG_LINES} lines" in PAGE
    assert f"{bulk.MOST:,} at once" in PAGE
    assert sampling.FEWEST == 10


def test_its_commands_run(manager: User) -> None:
    for line in block("bash").splitlines():
        asked = make_approval()
        _python, _manage, *command = shlex.split(line)
        call_command(*[str(asked.pk) if word == "17" else word for word in command])
    assert set(Approval.objects.values_list("status", flat=True)) == {"open", "approved", "rejected"}
