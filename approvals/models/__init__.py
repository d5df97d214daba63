"""Questions to people, what was said to them, and who is told."""

from approvals.models.approval import Approval, ApprovalQuerySet
from approvals.models.bulk import BulkDecision, BulkDecisionRow, Handling
from approvals.models.notice import Delivery, Notice, NoticeKind, NoticePreference, Webhook
from approvals.models.policy import Absence, Event, PolicyOverride, Reminder
from approvals.models.queryset import Viewer
from approvals.models.statuses import DECIDED, ApprovalKind, ApprovalStatus, Outcome, Source
from approvals.models.vote import Vote

__all__ = [
    "DECIDED",
    "Absence",
    "Approval",
    "ApprovalKind",
    "ApprovalQuerySet",
    "ApprovalStatus",
    "BulkDecision",
    "BulkDecisionRow",
    "Delivery",
    "Event",
    "Handling",
    "Notice",
    "NoticeKind",
    "NoticePreference",
    "Outcome",
    "PolicyOverride",
    "Reminder",
    "Source",
    "Viewer",
    "Vote",
    "Webhook",
]
