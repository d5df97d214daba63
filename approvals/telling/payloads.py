"""What a webhook says of a question, in three forms: Standard Webhooks, Slack, Teams."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from approvals.inbox import as_json
from approvals.models import Approval, ApprovalStatus, Event
from approvals.models.notice import Payload
from approvals.telling.letters import address, visible

ASKED = "approval.asked"
PASSED_ON = "approval.passed_on"
CLOSED = tuple(f"approval.{status}" for status in ApprovalStatus if status != ApprovalStatus.OPEN)
LONGEST = 500


@dataclass(frozen=True)
class News:
    """What an address is told: the event, of which question, and when. `more` is what is particular to the event."""

    event: str
    approval: Approval
    at: datetime
    more: Mapping[str, str] = field(default_factory=dict)


Form = Callable[[News], dict[str, Any]]


def closed_event(approval: Approval) -> str:
    return f"approval.{approval.status}"


def passed_on(event: Event, now: datetime) -> News:
    """From whom to whom a question went, by whom and why."""
    names = {"from": event.data.get("from_whom", ""), "to": event.data.get("to_whom", "")}
    return News(PASSED_ON, event.approval, now, {**names, "by": event.by_name, "reason": event.text})


def payload(form: str, news: News) -> dict[str, Any]:
    return FORMS[form](news)


def _standard(news: News) -> dict[str, Any]:
    """As the specification wants it: type, time, data."""
    approval = news.approval
    data = {**as_json(approval), "url": address(approval.get_absolute_url())}
    if news.event in CLOSED:
        closed = approval.closed_at.isoformat() if approval.closed_at else None
        data |= {"status": approval.status, "closed_at": closed}
        data |= {"by": approval.decided_by_name, "reason": approval.reason}
    else:
        data |= {"status": ApprovalStatus.OPEN, **news.more}
    return {"type": news.event, "timestamp": news.at.isoformat(), "data": data}


def _slack(news: News) -> dict[str, Any]:
    """Text with a link; the three characters that Slack reads as markup are escaped."""
    approval = news.approval
    link = f"<{address(approval.get_absolute_url())}|{_slack_text(approval.action)}>"
    lines = [f"*{_slack_text(_headline(news))}*: {link}", _slack_text(approval.consequence), _where(approval)]
    text = "\n".join(filter(None, lines))
    return {"text": text, "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]}


def _teams(news: News) -> dict[str, Any]:
    """A card for a workflow of Teams; its texts are plain, its only action opens the question."""
    approval = news.approval
    told: list[tuple[str, dict[str, Any]]] = [
        (_headline(news), {"isSubtle": True}),
        (approval.action, {"weight": "Bolder"}),
        (approval.consequence, {}),
        (_where(approval), {"isSubtle": True}),
    ]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "TextBlock", "wrap": True, "text": visible(t, LONGEST), **how} for t, how in told if t
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": address(approval.get_absolute_url())}],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [content]}


def _headline(news: News) -> str:
    approval = news.approval
    if news.event == ASKED:
        return f"Question {approval.pk} for {approval.group_name}"
    if news.event == PASSED_ON:
        return f"Question {approval.pk} passed on to {news.more['to']} by {news.more['by']}"
    by = f" by {approval.decided_by_name}" if approval.decided_by_name else ""
    return f"Question {approval.pk}: {approval.status.replace('_', ' ')}{by}"


def _where(approval: Approval) -> str:
    return " · ".join(filter(None, (approval.task.public_id, approval.item_key, approval.step_name)))


def _slack_text(text: str) -> str:
    escaped = visible(text, LONGEST).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(escaped.replace("|", "¦").split())


FORMS: Mapping[str, Form] = {Payload.STANDARD: _standard, Payload.SLACK: _slack, Payload.TEAMS: _teams}
