"""The socket where the approvals app plugs in; nothing here knows how people are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from taskboard.outcomes import Ask

if TYPE_CHECKING:
    from taskboard.change import Change
    from taskboard.models import Step, Task


@dataclass(frozen=True)
class Seal:
    """What a person agreed to: the exact action and its digest, and the digest of what was asked."""

    asked_sha256: str
    action: Mapping[str, Any]
    action_sha256: str


@dataclass(frozen=True)
class Settled:
    """What a question came to, for brief and pages: `outcome` and the comment word for word."""

    item_key: str
    step: str
    action: str
    outcome: str
    by: str
    comment: str
    at: datetime


@dataclass(frozen=True)
class Asked:
    """How many questions of a task a group has to answer, and since when the oldest one waits."""

    group: str
    count: int
    oldest: datetime


class Gate(Protocol):
    """What the engine needs of the app that asks people. All but `collect`, `expire` and the readers run
    inside the caller's transaction, which holds the task's lock."""

    def ask(self, change: Change, step: Step, item_key: str, ask: Ask) -> None:
        """Open a question for a step that is moving to waiting_approval."""

    def ask_for_budget(self, change: Change, needed_micro: int) -> None:
        """Open the question "raise the budget?" unless one is open."""

    def seal(self, step: Step) -> Seal | None:
        """The approval that this step was let through by, if any."""

    def void(self, change: Change, step: Step, reason: str) -> None:
        """The approval of a step no longer fits what would be done now."""

    def withdraw(self, change: Change, steps: Sequence[int] | None, reason: str) -> int:
        """Take back the open questions of these steps (None: of the whole task); returns how many."""

    def withdraw_budget(self, change: Change, reason: str) -> int:
        """Take back the open question "raise the budget?": a person changed it; returns how many."""

    def ask_again(self, change: Change) -> int:
        """After an import: steps that wait without a question that can be answered go back to where their
        workflow asks; returns how many."""

    def collect(self, now: datetime, task: Task | None = None) -> int:
        """Hand over decisions that were not picked up yet: their steps become claimable or end."""

    def expire(self, now: datetime, task: Task | None = None) -> int:
        """Close the questions whose time is over."""

    def tell(self, now: datetime) -> int:
        """Write down which people and which other software have to hear of questions; returns how many."""

    def undelivered(self, now: datetime) -> tuple[int, datetime | None]:
        """How many verdicts nobody has picked up yet, and since when the oldest one waits."""

    def open_questions(self, task: Task, limit: int | None = None) -> list[dict[str, Any]]:
        """The open questions of a task (at most `limit`), oldest first, as `approvals --json` prints them."""

    def asked(self, tasks: Sequence[int]) -> int:
        """About how many steps of items of these tasks people were asked."""

    def waits_for(self, tasks: Sequence[int], now: datetime) -> Mapping[int, Sequence[Asked]]:
        """Whom each of these tasks waits for, those with the oldest question first; one query for all."""

    def question_of(self, step: Step) -> int | None:
        """The number of the open question that this step waits for."""

    def settled(self, task: Task, limit: int = 20) -> list[Settled]:
        """The latest decisions of a task, newest first."""

    def to_document(self, task: Task) -> list[dict[str, Any]]:
        """All questions of a task as they stand in its state document."""

    def from_document(self, change: Change, entries: Sequence[Mapping[str, Any]]) -> None:
        """Store the questions of an imported document."""


class _Socket:
    plugged: Gate | None = None


def plug(gate: Gate) -> None:
    """Called once by the app that asks people, when it is loaded."""
    _Socket.plugged = gate


def gate() -> Gate:
    """The plugged gate; a workflow that asks people cannot run without one."""
    if _Socket.plugged is None:
        raise RuntimeError("No app that asks people is installed: add 'approvals' to INSTALLED_APPS.")
    return _Socket.plugged
