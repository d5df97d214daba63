"""The rows that must not be lost."""

from taskboard.models.artifact import Artifact
from taskboard.models.checkpoint import Checkpoint, Kind
from taskboard.models.effect import Effect
from taskboard.models.ledger import LedgerEntry
from taskboard.models.notes import Brief, Instruction, Risk
from taskboard.models.operations import Heartbeat, PurgeRecord
from taskboard.models.profile import Profile
from taskboard.models.step import Step, StepStatus
from taskboard.models.task import Item, ItemStatus, Task, TaskStatus

__all__ = [
    "Artifact", "Brief", "Checkpoint", "Effect", "Heartbeat", "Instruction", "Item", "ItemStatus", "Kind",
    "LedgerEntry", "Profile", "PurgeRecord", "Risk", "Step", "StepStatus", "Task", "TaskStatus",
]  # fmt: skip
