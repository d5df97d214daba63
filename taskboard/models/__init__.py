"""The rows that must not be lost."""

from taskboard.models.artifact import Artifact
from taskboard.models.attention import AttentionTaken
from taskboard.models.bulk import BulkAction, BulkJob, BulkResult
from taskboard.models.checkpoint import Checkpoint, Kind
from taskboard.models.comment import Comment
from taskboard.models.effect import Effect
from taskboard.models.ledger import LedgerEntry
from taskboard.models.notes import Brief, Instruction, Risk
from taskboard.models.operations import Heartbeat, PurgeRecord, WorkflowVersion
from taskboard.models.profile import Profile
from taskboard.models.step import Step, StepStatus
from taskboard.models.task import Item, ItemStatus, Task, TaskStatus

__all__ = [
    "Artifact", "AttentionTaken", "Brief", "BulkAction", "BulkJob", "BulkResult", "Checkpoint", "Comment",
    "Effect", "Heartbeat", "Instruction", "Item", "ItemStatus", "Kind", "LedgerEntry", "Profile", "PurgeRecord",
    "Risk", "Step", "StepStatus", "Task", "TaskStatus", "WorkflowVersion",
]  # fmt: skip
