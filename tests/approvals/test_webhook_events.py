"""What addresses are told beside questions and answers: that a question changed hands, each time it did."""

import json

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from approvals import decisions, routing
from approvals.models import Delivery
from approvals.telling import webhooks
from tests.approvals.receiver import Receiver, look, make_webhook
from tests.approvals.receiver import receiver as receiver
from tests.conftest import make_person
from tests.factories import make_approval

pytestmark = pytest.mark.django_db


@pytest.fixture
def second(manager: User) -> User:
    return make_person("second", "Managers")  # type: ignore[return-value]


def bodies(receiver: Receiver) -> list[dict[str, dict[str, str]]]:
    return [json.loads(body) for _headers, body in receiver.got]


def test_each_change_of_hands_is_told_once(
    receiver: Receiver, manager: User, second: User, admin: User
) -> None:
    make_webhook(receiver.url)
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "She knows")
    look()
    routing.pass_on_to_group(asked.pk, second, "Administrators", "They know")
    look()
    assert look() == 0
    webhooks.send()
    told = [one["data"] for one in bodies(receiver) if one["type"] == "approval.passed_on"]
    assert [(one["from"], one["to"], one["by"], one["reason"]) for one in told] == [
        ("Managers", "second", "manager", "She knows"),
        ("second", "Administrators", "second", "They know"),
    ]
    assert {one["status"] for one in told} == {"open"}
    assert Delivery.objects.count() == 3


def test_the_answer_is_told_although_hands_changed_before(
    receiver: Receiver, manager: User, second: User
) -> None:
    make_webhook(receiver.url)
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    look()
    decisions.decide(asked.pk, second, "approve", "", asked.payload_sha256)
    look()
    webhooks.send()
    told = bodies(receiver)
    assert [one["type"] for one in told] == ["approval.asked", "approval.passed_on", "approval.approved"]
    assert told[-1]["data"]["by"] == "second"


@pytest.mark.parametrize("form", ["slack", "teams"])
def test_chats_read_it_in_one_line(receiver: Receiver, manager: User, second: User, form: str) -> None:
    make_webhook(receiver.url, payload=form)
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    look()
    webhooks.send()
    assert f"Question {asked.pk} passed on to second by manager" in receiver.got[-1][1]


def test_what_changed_hands_before_the_address_was_there_is_not_told(
    receiver: Receiver, manager: User, second: User
) -> None:
    asked = make_approval()
    routing.pass_on_to_person(asked.pk, manager, second, "please")
    hook = make_webhook(receiver.url)
    type(hook).objects.update(created_at=timezone.now())
    assert look() == 0
