"""What scripts read of the inbox and of a question. Fields are only ever added; docs/json.md."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db.models import DateTimeField, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals import finding, inbox
from approvals.models import Approval, Event, Vote
from approvals.rights import SEE
from approvals.views import screens
from taskboard.errors import NotAllowed
from taskboard.guards import person
from taskboard.lists import paging
from taskboard.lists.paging import Order

PER_PAGE = 100
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
SOONEST = Order("soonest", Coalesce("expires_at", Value(NEVER), output_field=DateTimeField()), datetime)
NEWEST = Order("newest", "closed_at", datetime, down=True)
Values = dict[str, Any]


def questions(request: HttpRequest) -> Values:
    """One list of the inbox, narrowed as its page is."""
    _require(request)
    user, now = person(request), timezone.now()
    show = inbox.chosen(user, request.GET.get("show", ""))
    answered = inbox.is_answered(show, request.GET)
    wish = finding.wished(request.GET.dict(), answered=answered)
    asked = inbox.questions(user, show, now, answered=answered)
    found = finding.narrowed(asked, wish, now).select_related("task")
    order = NEWEST if answered else SOONEST
    shown = paging.page(found, order, request.GET.get("after", ""), PER_PAGE)
    return {
        "show": show,
        "counts": {tab.name: tab.count for tab in inbox.tabs(user, now) if tab.count is not None},
        "questions": [_question(one) for one in shown.rows],
        "next": _next(show, wish.given, shown.following),
    }


def question(request: HttpRequest, pk: int) -> Values:
    """One question with the exact action, its answers and what was said about it."""
    _require(request)
    one = screens.find(person(request), pk)
    return {
        **_question(one),
        "evidence": one.evidence,
        "payload": one.payload,
        "decided_payload": one.decided_payload,
        "decided_digest": one.decided_sha256,
        "votes": [_vote(vote) for vote in one.votes.all()],
        "events": [_event(event) for event in one.events.all()],
    }


def _require(request: HttpRequest) -> None:
    if not request.user.has_perm(SEE):
        raise NotAllowed(_("Your group may not see questions. Ask an administrator for the right."))


def _next(show: str, given: Mapping[str, str], following: str) -> str | None:
    if not following:
        return None
    return reverse("approvals_json") + paging.query_of(show=show, **given, after=following)


def _question(one: Approval) -> Values:
    """As the command tells it, with times for the reader, and what a decision led to."""
    return {
        **inbox.as_json(one),
        "task_id": one.task.public_id,
        "url": reverse("approvals:approval", args=[one.pk]),
        "target": one.target,
        "before": one.before,
        "after": one.after,
        "impact": one.impact,
        "requested_by": one.requested_by_name,
        "requested_at": one.requested_at,
        "expires_at": one.expires_at,
        "decided_by": one.decided_by_name,
        "decided_at": one.decided_at,
        "closed_at": one.closed_at,
        "picked_up_at": one.picked_up_at,
        "reason": one.reason,
    }


def _vote(vote: Vote) -> Values:
    return {"by": vote.user_name, "outcome": vote.outcome, "reason": vote.reason, "at": vote.at}


def _event(event: Event) -> Values:
    return {"by": event.by_name, "what": event.what, "text": event.text, "at": event.at}
