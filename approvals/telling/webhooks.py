"""Webhooks about questions: a row per event and address, sent signed, tried again after growing pauses, and journaled.
The form is that of Standard Webhooks, or what Slack and Teams read."""

import json
import logging
import secrets
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.models import Approval, Delivery, Event, Webhook
from approvals.telling import payloads, posting
from approvals.telling.payloads import News
from taskboard import lifecycle
from taskboard.errors import NotFound
from taskboard.models import Kind

PAUSES = (5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds to wait after each try that failed; after the last one it is given up."""
OVERLAP = timedelta(minutes=10)
"""How far back each look goes again: a transaction may commit later than its times say."""
LEASE = timedelta(minutes=1)
SLICE = 5.0
GONE = 410
S = Delivery.State
log = logging.getLogger(__name__)


def collect(now: datetime) -> int:
    """Write down which address has to be told of what; returns how many events are new."""
    return sum(_collect(webhook, now) for webhook in Webhook.objects.filter(active=True))


def owed(now: datetime) -> bool:
    return _due(now).exists()


def send(now: datetime | None = None, seconds: float = SLICE) -> int:
    """Send what is due until the time is over; returns how many were accepted."""
    accepted, until = 0, time.monotonic() + seconds
    moment = now or timezone.now()
    for pk in list(_due(moment).order_by("due_at").values_list("pk", flat=True)[:200]):
        accepted += _try(pk, now or timezone.now())
        if time.monotonic() > until:
            break
    return accepted


def _collect(webhook: Webhook, now: datetime) -> int:
    since = max((webhook.looked_at or webhook.created_at) - OVERLAP, webhook.created_at)
    rows = [_delivery(webhook, name, news) for name, news in _news(webhook, since, now)]
    Delivery.objects.bulk_create(rows, ignore_conflicts=True, batch_size=200)
    Webhook.objects.filter(pk=webhook.pk).update(looked_at=now)
    return len(rows)


def _news(webhook: Webhook, since: datetime, now: datetime) -> Iterator[tuple[str, News]]:
    """What this address was not told yet, each under the name that makes it once."""
    told = Delivery.objects.filter(webhook=webhook, approval=OuterRef("pk"))
    recent = Q(status="open") | Q(closed_at__gte=since)
    untold = ~Exists(told.filter(event=payloads.ASKED))
    asked = Approval.objects.filter(recent, untold, requested_at__gte=since)
    for approval in asked.select_related("task").order_by("pk"):
        yield payloads.ASKED, News(payloads.ASKED, approval, now)
    for event in _passed_on(webhook, since):
        yield f"{payloads.PASSED_ON}:{event.pk}", payloads.passed_on(event, now)
    final = Q(hand_over_at=None) | Q(hand_over_at__lte=now)
    untold = ~Exists(told.filter(event__in=payloads.CLOSED))
    closed = Approval.objects.filter(final, untold, closed_at__gte=since)
    for approval in closed.select_related("task").order_by("closed_at", "pk"):
        name = payloads.closed_event(approval)
        yield name, News(name, approval, now)


def _passed_on(webhook: Webhook, since: datetime) -> Iterable[Event]:
    """A question may change hands more than once; each time is news."""
    name = Concat(Value(f"{payloads.PASSED_ON}:"), Cast(OuterRef("pk"), CharField()))
    told = Delivery.objects.filter(webhook=webhook, approval=OuterRef("approval"), event=name)
    passed = Event.objects.filter(~Exists(told), what=Event.What.PASSED_ON, at__gte=since)
    return passed.select_related("approval__task").order_by("pk")


def _delivery(webhook: Webhook, name: str, news: News) -> Delivery:
    body = json.dumps(payloads.payload(webhook.payload, news), ensure_ascii=False)
    return Delivery(
        webhook=webhook, approval=news.approval, event=name, message_id=f"msg_{secrets.token_hex(16)}", body=body,
        created_at=news.at, due_at=news.at,
    )  # fmt: skip


def _due(now: datetime) -> "QuerySet[Delivery]":
    return Delivery.objects.filter(settled_at=None, due_at__lte=now, webhook__active=True)


def _try(pk: int, now: datetime) -> bool:
    """One try, by one worker: whoever moves `due_at` first has it."""
    delivery = Delivery.objects.select_related("webhook", "approval").filter(pk=pk, settled_at=None).first()
    mine = Delivery.objects.filter(pk=pk, settled_at=None, due_at__lte=now)
    if delivery is None or not mine.update(due_at=now + LEASE, attempts=F("attempts") + 1):
        return False
    answer = _post(delivery, now)
    _note(delivery, delivery.attempts + 1, answer, now)
    return answer.accepted


def _post(delivery: Delivery, now: datetime) -> posting.Answer:
    """Signed, or not at all."""
    webhook = delivery.webhook
    if not webhook.secret:
        return posting.Answer(
            0, _("There is no secret here that could sign this: give the webhook a new one.")
        )
    headers = posting.signed(webhook.secret, delivery.message_id, int(now.timestamp()), delivery.body)
    return posting.post(webhook.url, delivery.body, headers)


def _note(delivery: Delivery, attempts: int, answer: posting.Answer, now: datetime) -> None:
    """What came of this try, and when the next one is."""
    tries = [*delivery.tries, {"at": now.isoformat(timespec="seconds"), "said": answer.said}]
    over = answer.status == GONE or attempts > len(PAUSES)
    state = S.DELIVERED if answer.accepted else S.GIVEN_UP if over else S.PENDING
    pause = timedelta(seconds=PAUSES[min(attempts, len(PAUSES)) - 1])
    ended = {"settled_at": now} if state != S.PENDING else {"due_at": now + pause}
    Delivery.objects.filter(pk=delivery.pk, settled_at=None).update(tries=tries, state=state, **ended)
    if answer.status == GONE:
        why = "The address answered that it is gone (410)."
        Webhook.objects.filter(pk=delivery.webhook_id).update(active=False, stopped_why=why)
    if state != S.PENDING:
        _journal(delivery, state, attempts, answer)


def _journal(delivery: Delivery, state: str, attempts: int, answer: posting.Answer) -> None:
    told = {"webhook": delivery.webhook.name, "event": delivery.event, "approval": delivery.approval_id}
    approval = delivery.approval
    try:
        with lifecycle.changing(approval.task_id, "taskboard") as change:
            change.record(
                Kind.NOTE, item=approval.item_key, step=approval.step_name,
                data={**told, "outcome": state, "tries": attempts, "said": answer.said, "id": delivery.message_id},
            )  # fmt: skip
    except NotFound:
        log.info("the task was purged meanwhile", extra={"delivery": delivery.pk})
