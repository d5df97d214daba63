"""What a card shows before an answer: all of the action, who says what, and nothing to hide behind."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals.cards import card as cards
from approvals.models import Approval, Vote
from taskboard.outcomes import Policy
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_step

INBOX = reverse("approvals:inbox")
BODY = "\n".join(f"line {number}" for number in range(2500)) + "\nrm -rf /"


def card(user: User, asked: Approval) -> str:
    return unescape(logged_in(user).get(reverse("approvals:question", args=[asked.pk])).content.decode())


def record(user: User, asked: Approval) -> str:
    return unescape(logged_in(user).get(asked.get_absolute_url()).content.decode())


def approve(user: User, asked: Approval, **said: str) -> Any:
    form = {"outcome": "approve", "reason": "", "digest": asked.payload_sha256, **said}
    return logged_in(user).post(reverse("approvals:decide", args=[asked.pk]), form)


def test_a_long_action_is_complete_and_approved_only_where_it_was_read(manager: User) -> None:
    asked = make_approval(after=BODY, payload={"run": BODY})
    shown = card(manager, asked)
    assert "rm -rf /" in shown
    assert "disabled data-after-reading" in shown
    assert f'href="{asked.get_absolute_url()}"' in shown
    alone = record(manager, asked)
    assert "rm -rf /" in alone
    assert "data-after-reading" not in alone
    assert alone.index("rm -rf /") < alone.index('value="approve"')


def test_a_short_one_can_be_approved_at_once(manager: User) -> None:
    assert "data-after-reading" not in card(manager, make_approval())


def test_parts_of_the_action_that_no_text_shows_are_listed(manager: User) -> None:
    asked = make_approval(
        action="Pay Ann", payload={"to": "Ann", "then": {"also": ["DROP TABLE"]}, "sha": "a" * 64}
    )
    shown = card(manager, asked)
    parts = shown[shown.index("Also part of the action") : shown.index("Known to Taskboard")]
    assert "then.also 1" in parts
    assert "DROP TABLE" in parts
    assert "Ann" not in parts
    assert "a" * 64 not in parts


def test_what_the_software_wrote_stands_apart_from_what_taskboard_knows(manager: User) -> None:
    shown = card(
        manager, make_approval(consequence="Money leaves", impact=4123, impact_label="pages link here")
    )
    told, known = shown[shown.index("Written by the software") :].split("Known to Taskboard")
    for word in ("Money leaves", "4,123", "pages link here"):
        assert word in told
        assert word not in known
    for word in ("Cost until now", "Answer by", "The step runs once", "may not decide"):
        assert word in known


def test_only_what_was_done_when_it_was_asked_stands_under_done_before(manager: User) -> None:
    asked = make_approval()
    assert asked.step
    for name, minutes in (("early", -1), ("late", 1)):
        ended = asked.requested_at + timedelta(minutes=minutes)
        make_step(asked.step.item, name, status="done", finished_at=ended, summary=f"What was {name}")
    shown = record(manager, asked)
    assert "What was early" in shown
    assert "What was late" not in shown


@pytest.mark.parametrize("over", [{"action": ""}, {"consequence": ""}, {"payload": {}}, {"payload": None}])
def test_without_a_description_a_yes_is_asked_for_twice(manager: User, over: dict[str, Any]) -> None:
    asked = make_approval(**over)
    assert 'name="confirmed"' in record(manager, asked)
    refused = approve(manager, asked)
    assert refused.status_code == 422
    assert "tick that you have" in unescape(refused.content.decode())
    assert not Vote.objects.exists()
    assert approve(manager, asked, confirmed="yes").status_code == 302


def test_a_no_needs_no_tick(manager: User) -> None:
    asked = make_approval(consequence="")
    assert approve(manager, asked, outcome="reject", reason="what is this?").status_code == 302


def test_a_question_that_cannot_be_drawn_is_shown_as_it_is_stored(
    manager: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_card: object) -> None:
        raise ValueError("a fault of a template")

    asked = make_approval(payload={"pay": 100, "to": "Ann & Bob"})
    monkeypatch.setattr(cards.Card, "diff", property(fails))
    Approval.objects.update(before="a", after="b")
    for shown in (card(manager, asked), record(manager, asked), unescape(page(manager))):
        assert "cannot be shown as it should" in shown
        assert "Ann & Bob" in shown
        assert 'name="confirmed"' in shown
    assert "cannot be drawn" in caplog.text
    assert approve(manager, asked).status_code == 422


def page(manager: User) -> str:
    return logged_in(manager).get(INBOX).content.decode()


def test_the_rules_are_said_with_how_many_have_agreed(manager: User) -> None:
    asked = make_approval(policy=Policy(needed=2))
    assert "0 of 2 approvals." in card(manager, asked)
    first = approve(make_person("first", "Managers"), asked, known=str(asked.pk), show="mine")
    assert first.status_code == 302
    assert "1 of 2 approvals." in card(manager, asked)


def test_editable_fields_are_sent_only_when_they_were_changed(manager: User) -> None:
    asked = make_approval(payload={"pay": 100, "to": "Ann"}, editable=("to", "pay"))
    wrong = approve(manager, asked, **{"edit.to": "Bob", "edit.pay": "many"})
    assert (wrong.status_code, "whole number" in wrong.content.decode()) == (422, True)
    approve(manager, asked, **{"edit.to": "Bob", "edit.pay": "100"})
    asked.refresh_from_db()
    assert asked.decided_payload == {"pay": 100, "to": "Bob"}
    assert asked.payload == {"pay": 100, "to": "Ann"}


def test_untouched_fields_leave_the_action_as_it_was_asked(manager: User) -> None:
    asked = make_approval(payload={"text": "one\ntwo"}, editable=("text",))
    approve(manager, asked, **{"edit.text": "one\r\ntwo"})
    asked.refresh_from_db()
    assert (asked.status, asked.decided_payload) == ("approved", None)
