"""A long text is read before it is approved, whichever way the answer comes; a no is always free."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from approvals import proof
from approvals.errors import Unread
from approvals.models import Approval, Vote
from tests.approvals.answers import answer
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

BODY = "\n".join(f"line {number}" for number in range(2500)) + "\nrm -rf /"
UNREAD = "too long to be approved unread"


@pytest.fixture
def asked(db: None) -> Approval:
    """Twenty thousand characters, the harmful ones at the end."""
    return make_approval(after=BODY, payload={"run": BODY})


def record(user: User, asked: Approval) -> str:
    return unescape(logged_in(user).get(asked.get_absolute_url()).content.decode())


def proof_in(page: str) -> str:
    found = re.search(r'name="read" value="([^"]*)"', page)
    return found[1] if found else ""


def post(user: User, asked: Approval, htmx: bool = False, **said: str) -> Any:
    form = {"outcome": "approve", "reason": "", "digest": asked.payload_sha256, **said}
    headers = {"HX-Request": "true"} if htmx else {}
    return logged_in(user).post(reverse("approvals:decide", args=[asked.pk]), form, headers=headers)


@pytest.mark.parametrize("htmx", [False, True])
def test_a_yes_without_the_proof_is_refused_with_a_sentence(
    manager: User, asked: Approval, htmx: bool
) -> None:
    refused = post(manager, asked, htmx)
    assert refused.status_code == 422
    assert UNREAD in unescape(refused.content.decode())
    assert not Vote.objects.exists()


def test_the_page_that_holds_all_of_it_carries_the_proof_below_its_end(
    manager: User, asked: Approval
) -> None:
    page = record(manager, asked)
    assert page.index("rm -rf /") < page.index('name="read"')
    assert post(manager, asked, read=proof_in(page)).status_code == 302
    asked.refresh_from_db()
    assert asked.status == "approved"


def test_in_the_inbox_it_lies_at_the_end_of_the_text_and_not_in_the_form(
    manager: User, asked: Approval
) -> None:
    shown = logged_in(manager).get(reverse("approvals:question", args=[asked.pk])).content.decode()
    assert proof_in(shown) == ""
    end = re.search(r'id="question-end-\d+" data-read="([^"]+)"', shown)
    assert end is not None
    assert shown.index("rm -rf /") < end.start()
    assert post(manager, asked, read=unescape(end[1])).status_code == 302


@pytest.mark.parametrize("of", ["nobody", "another question", "another person", "another action"])
def test_a_proof_of_something_else_proves_nothing(manager: User, asked: Approval, of: str) -> None:
    other = make_person("other", "Managers")
    given = {
        "nobody": "forged:proof",
        "another question": proof.give(asked.pk + 1, manager, asked.payload_sha256),  # type: ignore[arg-type]
        "another person": proof.give(asked.pk, other, asked.payload_sha256),  # type: ignore[arg-type]
        "another action": proof.give(asked.pk, manager, "0" * 64),  # type: ignore[arg-type]
    }
    assert post(manager, asked, read=given[of]).status_code == 422


def test_the_refused_form_can_be_sent_again_from_where_it_is_shown(manager: User, asked: Approval) -> None:
    refused = unescape(post(manager, asked).content.decode())
    assert "rm -rf /" in refused
    assert post(manager, asked, read=proof_in(refused)).status_code == 302


def test_a_no_needs_no_proof(manager: User, asked: Approval) -> None:
    assert post(manager, asked, outcome="reject", reason="what is this?").status_code == 302


def test_what_is_read_at_a_glance_needs_none(manager: User) -> None:
    short = make_approval()
    assert 'name="read"' not in record(manager, short)
    assert post(manager, short).status_code == 302


def test_a_command_shows_it_with_the_digest(manager: User, asked: Approval) -> None:
    with pytest.raises(CommandError, match=UNREAD):
        call_command("decide", str(asked.pk), "approve", "--as", "manager")
    call_command("decide", str(asked.pk), "approve", "--as", "manager", "--digest", asked.payload_sha256)
    asked.refresh_from_db()
    assert asked.status == "approved"


def test_no_caller_gets_past_the_rule(manager: User, asked: Approval) -> None:
    with pytest.raises(Unread):
        answer(asked, manager)


def test_who_may_not_decide_at_all_hears_that_first(operator: User, asked: Approval) -> None:
    assert post(operator, asked).status_code == 403


def test_an_old_page_is_told_of_the_change_and_not_of_the_reading(manager: User, asked: Approval) -> None:
    old = proof_in(record(manager, asked))
    newer = make_approval(asked.step, payload={"run": BODY + " now"})
    refused = post(manager, newer, digest=asked.payload_sha256, read=old)
    assert refused.status_code in (409, 422)
    assert not Vote.objects.exists()
