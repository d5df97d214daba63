"""The rows that must not be lost."""

from taskboard.models.artifact import Artifact
from taskboard.models.attention import AttentionTaken
from taskboard.models.audit import AuditEntry
from taskboard.models.bulk import BulkAction, BulkJob, BulkResult
from taskboard.models.checkpoint import Checkpoint, Kind
from taskboard.models.comment import Comment
from taskboard.models.effect import Effect
from taskboard.models.freeze import Freeze
from taskboard.models.installation import Installation
from taskboard.models.ledger import LedgerEntry
from taskboard.models.login import LoginPause, Phone, SignOn
from taskboard.models.notes import Brief, Instruction, Risk
from taskboard.models.operations import Heartbeat, PurgeRecord, WorkflowVersion
from taskboard.models.profile import Profile
from taskboard.models.retention import HoldRule, PurgePlan, PurgePlanTask, RetentionPolicy
from taskboard.models.secret import TaskSecret
from taskboard.models.step import Step, StepStatus
from taskboard.models.task import Item, ItemStatus, Task, TaskStatus
from taskboard.models.token import ApiToken

__all__ = [
    "ApiToken", "Artifact", "AttentionTaken", "AuditEntry", "Brief", "BulkAction", "BulkJob", "BulkResult",
    "Checkpoint", "Comment", "Effect", "Freeze", "Heartbeat", "HoldRule", "Installation", "Instruction",
    "Item", "ItemStatus", "Kind", "LedgerEntry", "LoginPause", "Phone", "Profile", "PurgePlan", "PurgePlanTask",
    "PurgeRecord", "RetentionPolicy", "Risk", "SignOn", "Step", "StepStatus", "Task", "TaskSecret",
    "TaskStatus", "WorkflowVersion",
]  # fmt: skip
