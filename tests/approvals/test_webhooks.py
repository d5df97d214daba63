"""Other software is told of questions: signed, once, tried again, journaled, and never inside this network."""

import json
import socket
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval, Delivery, Webhook
from approvals.telling import posting, sweep, webhooks
from taskboard.models import Checkpoint, Kind
from tests.approvals.receiver import SECRET, Receiver, look, make_webhook
from tests.approvals.receiver import receiver as receiver
from tests.conftest import logged_in
from tests.factories import make_approval

pytestmark = pytest.mark.django_db


def test_the_signature_is_that_of_the_specification() -> None:
    signed = posting.signed(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}')
    assert signed["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_question_is_told_once_and_signed(receiver: Receiver) -> None:
    make_webhook(receiver.url)
    asked = make_approval()
    sweep.look(timezone.now())
    sweep.look(timezone.now())
    assert sweep.tell() == 1
    assert webhooks.send(timezone.now() + timedelta(days=9)) == 0
    ((headers, body),) = receiver.got
    told = json.loads(body)
    assert (told["type"], told["data"]["id"]) == ("approval.asked", asked.pk)
    assert told["data"]["digest"] == asked.payload_sha256
    expected = posting.signed(SECRET, headers["webhook-id"], int(headers["webhook-timestamp"]), body)
    assert headers["webhook-signature"] == expected["webhook-signature"]


def test_the_answer_is_an_event_of_its_own(receiver: Receiver, manager: User) -> None:
    make_webhook(receiver.url)
    asked = make_approval()
    look()
    decisions.decide(asked.pk, manager, "reject", "too dear", asked.payload_sha256)
    look()
    webhooks.send()
    told = [json.loads(body) for _headers, body in receiver.got]
    assert [one["type"] for one in told] == ["approval.asked", "approval.rejected"]
    assert (told[1]["data"]["by"], told[1]["data"]["reason"]) == ("manager", "too dear")


def test_what_was_there_before_the_address_is_not_told(receiver: Receiver) -> None:
    make_approval()
    Webhook.objects.create(name="new", url=receiver.url, secret=SECRET)
    assert look() == 0


def test_it_is_tried_again_with_growing_pauses_and_then_given_up(receiver: Receiver) -> None:
    receiver.answer = 503
    make_webhook(receiver.url)
    asked = make_approval()
    look()
    now, pauses = timezone.now(), []
    for _try in range(len(webhooks.PAUSES)):
        webhooks.send(now)
        due = Delivery.objects.get().due_at
        pauses.append(round((due - now).total_seconds()))
        assert webhooks.send(due - timedelta(seconds=1)) == 0
        now = due
    assert pauses == list(webhooks.PAUSES) == sorted(pauses)
    webhooks.send(now)
    delivery = Delivery.objects.get()
    assert (delivery.state, len(delivery.tries)) == ("given_up", 11)
    assert len({headers["webhook-id"] for headers, _body in receiver.got}) == 1
    row = Checkpoint.objects.filter(task=asked.task, kind=Kind.NOTE).latest("ordinal")
    assert (row.data["webhook"], row.data["outcome"], row.data["tries"]) == ("ops", "given_up", 11)


def test_a_delivery_is_journaled(receiver: Receiver) -> None:
    make_webhook(receiver.url)
    asked = make_approval()
    look()
    webhooks.send()
    row = Checkpoint.objects.filter(task=asked.task, kind=Kind.NOTE).latest("ordinal")
    assert (row.data["outcome"], row.data["said"][:3]) == ("delivered", "204")


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.answer = 302
    make_webhook(receiver.url)
    make_approval()
    look()
    assert webhooks.send() == 0
    assert Delivery.objects.get().tries[0]["said"].startswith("302")


def test_an_address_that_is_gone_is_switched_off(receiver: Receiver) -> None:
    receiver.answer = 410
    hook = make_webhook(receiver.url)
    make_approval()
    look()
    webhooks.send()
    hook.refresh_from_db()
    assert (hook.active, "410" in hook.stopped_why) == (False, True)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/", "http://[::1]/", "http://10.1.2.3/x", "http://169.254.169.254/"]
)
def test_private_addresses_are_refused(url: str) -> None:
    make_webhook(url)
    make_approval()
    look()
    assert webhooks.send() == 0
    assert "private address" in Delivery.objects.get().tries[0]["said"]


def test_it_is_sent_to_the_address_that_was_checked_and_the_name_is_not_looked_up_again(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name may lead elsewhere a moment later."""
    look_up, asked = socket.getaddrinfo, []

    def told(host: Any, *rest: Any, **more: Any) -> Any:
        if host != "hooks.example.org":
            return look_up(host, *rest, **more)
        asked.append(host)
        return look_up("127.0.0.1", *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", told)
    answer = posting.post(receiver.url.replace("127.0.0.1", "hooks.example.org"), "{}", {})
    assert (answer.status, asked) == (204, ["hooks.example.org"])
    assert receiver.got[0][0]["host"].startswith("hooks.example.org:")


def test_switched_off_it_is_sent_nothing_and_what_is_owed_waits(receiver: Receiver) -> None:
    make_webhook(receiver.url)
    make_approval()
    look()
    Webhook.objects.update(active=False)
    assert (webhooks.send(), receiver.got) == (0, [])
    Webhook.objects.update(active=True)
    assert webhooks.send() == 1


def test_two_workers_do_not_send_one_delivery_twice(receiver: Receiver) -> None:
    make_webhook(receiver.url)
    make_approval()
    look()
    now = timezone.now()
    Delivery.objects.update(due_at=now + webhooks.LEASE)
    assert webhooks.send(now) == 0
    assert receiver.got == []


def test_slack_and_teams_get_what_they_can_read(receiver: Receiver) -> None:
    make_webhook(receiver.url, payload="slack")
    make_webhook(receiver.url, name="teams", payload="teams")
    make_approval(action="Pay <b> & | 1\u202e0")
    look()
    webhooks.send()
    slack, teams = sorted(
        (json.loads(body) for _headers, body in receiver.got), key=lambda one: "text" not in one
    )
    assert "Pay &lt;b&gt; &amp; ¦ 1[U+202E]0" in slack["text"]
    assert slack["blocks"][0]["text"]["text"] == slack["text"]
    card = teams["attachments"][0]["content"]
    assert (card["type"], card["actions"][0]["type"]) == ("AdaptiveCard", "Action.OpenUrl")


def test_an_admin_adds_one_and_reads_the_log(
    receiver: Receiver, admin: User, operator: User, settings: Any
) -> None:
    client = logged_in(admin)
    add = reverse("admin:approvals_webhook_add")
    form = {"name": "chat", "url": receiver.url, "payload": "slack", "new_secret": "", "active": "on"}
    assert client.post(add, form).status_code == 302
    assert Webhook.objects.get().secret.startswith("whsec_")
    assert client.get(reverse("admin:approvals_delivery_changelist")).status_code == 200
    settings.TASKBOARD_ALLOW_PRIVATE_WEBHOOKS = False
    for wrong, sentence in (({"url": receiver.url}, "private address"), ({"url": "ftp://x"}, "http://")):
        page = client.post(add, {**form, "name": "other", **wrong}).content.decode()
        assert sentence in page
    page = client.post(add, {**form, "name": "other", "new_secret": "short"}).content.decode()
    assert "24 to 64 bytes" in page
    assert logged_in(operator).get(add).status_code in (302, 403)


def test_an_answer_that_can_be_taken_back_is_not_told_yet(receiver: Receiver) -> None:
    make_webhook(receiver.url)
    make_approval()
    now = timezone.now()
    later = now + timedelta(seconds=5)
    Approval.objects.update(
        status="approved", closed_at=now, decided_at=now, verdict="approve", hand_over_at=later
    )
    assert [look(), webhooks.collect(later)] == [1, 1]
