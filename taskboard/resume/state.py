"""What one resume knows, and what its steps found so far."""

from dataclasses import dataclass, field
from typing import Any

from taskboard.engine.claim import Claimed
from taskboard.models import Task


@dataclass
class Resume:
    """What one resume knows and found so far."""

    task: Task
    actor: str
    by_person: bool
    workflow: str = ""
    accept_version: bool = False
    taken: list[Claimed] = field(default_factory=list)
    found: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    brief: str = ""
