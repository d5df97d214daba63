"""What a webhook says of a question, in three forms: Standard Webhooks, Slack, Teams."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from approvals.inbox import as_json
from approvals.letters import address, visible
from approvals.models import Approval
from approvals.notices_models import Payload

ASKED = "approval.asked"
LONGEST = 500
Form = Callable[[str, Approval, datetime], dict[str, Any]]


def closed_event(approval: Approval) -> str:
    return f"approval.{approval.status}"


def payload(form: str, event: str, approval: Approval, now: datetime) -> dict[str, Any]:
    return FORMS[form](event, approval, now)


def _standard(event: str, approval: Approval, now: datetime) -> dict[str, Any]:
    """As the specification wants it: type, time, data."""
    closed = approval.closed_at.isoformat() if approval.closed_at else None
    answer = {"by": approval.decided_by_name, "reason": approval.reason, "closed_at": closed}
    status = "open" if event == ASKED else approval.status
    data = {**as_json(approval), "status": status, "url": address(approval.get_absolute_url())}
    return {
        "type": event,
        "timestamp": now.isoformat(),
        "data": data if event == ASKED else {**data, **answer},
    }


def _slack(event: str, approval: Approval, now: datetime) -> dict[str, Any]:
    """Text with a link; the three characters that Slack reads as markup are escaped."""
    link = f"<{address(approval.get_absolute_url())}|{_slack_text(approval.action)}>"
    lines = [f"*{_headline(event, approval)}*: {link}", _slack_text(approval.consequence), _where(approval)]
    text = "\n".join(filter(None, lines))
    return {"text": text, "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": text}}]}


def _teams(event: str, approval: Approval, now: datetime) -> dict[str, Any]:
    """A card for a workflow of Teams; its texts are plain, its only action opens the question."""
    told: list[tuple[str, dict[str, Any]]] = [
        (_headline(event, approval), {"isSubtle": True}),
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


def _headline(event: str, approval: Approval) -> str:
    if event == ASKED:
        return f"Question {approval.pk} for {approval.group_name}"
    by = f" by {approval.decided_by_name}" if approval.decided_by_name else ""
    return f"Question {approval.pk}: {approval.status.replace('_', ' ')}{by}"


def _where(approval: Approval) -> str:
    return " · ".join(filter(None, (approval.task.public_id, approval.item_key, approval.step_name)))


def _slack_text(text: str) -> str:
    escaped = visible(text, LONGEST).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(escaped.replace("|", "¦").split())


FORMS: Mapping[str, Form] = {Payload.STANDARD: _standard, Payload.SLACK: _slack, Payload.TEAMS: _teams}
