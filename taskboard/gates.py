"""The socket where the approvals app plugs in; nothing here knows how people are asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from taskboard.outcomes import Ask

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from taskboard.change import Change
    from taskboard.models import Step, Task
    from taskboard.workflow import WorkflowSpec


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


@dataclass(frozen=True)
class Answered:
    """An answer and what came of it so far: each moment in a word, with its time."""

    question: int
    action: str
    outcome: str
    by: str
    moments: Sequence[tuple[str, datetime]]
    owed: bool


@dataclass(frozen=True)
class Figures:
    """Questions for monitoring: how many are open and since when, how many there ever were."""

    open: int
    oldest: datetime | None
    asked: int
    answered: int


@dataclass(frozen=True)
class Outgoing:
    """How many messages to people and to other software wait to be sent."""

    mails: int
    webhooks: int
    reminders: int


@dataclass(frozen=True)
class Ruled:
    """What an administrator says of a step's questions instead of its workflow, in sentences, and who did."""

    sentences: Sequence[str]
    by: str
    at: datetime


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

    def budget_refused(self, tasks: Sequence[int]) -> Mapping[int, Settled]:
        """How the question "raise the budget?" ended that was asked last of each of these tasks, where the answer
        was not yes; one query. `by` is empty where nobody answered."""

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

    def figures(self, now: datetime) -> Figures:
        """How many questions there are, without counting those that are over."""

    def outgoing(self, now: datetime) -> Outgoing:
        """What waits to be sent to people and to other software."""

    def drop_outgoing(self, now: datetime) -> int:
        """Settle it unsent; returns how many messages there were."""

    def undelivered(self, now: datetime) -> tuple[int, datetime | None]:
        """How many verdicts nobody has picked up yet, and since when the oldest one waits."""

    def unsettled(self) -> QuerySet[Any, Any]:
        """The ids of the tasks with a question that is open, or with an answer that nobody has picked up."""

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

    def answered(self, task: Task, limit: int = 3) -> list[Answered]:
        """The latest answers of a task, newest first, each with what came of it; one query."""

    def rules(self, spec: WorkflowSpec) -> Mapping[str, Ruled]:
        """What administrators changed about the questions of this workflow, by step (empty: of its budgets)."""

    def rule_faults(self, spec: WorkflowSpec) -> list[str]:
        """What is wrong with these rules: steps that are gone, groups in which nobody can answer."""

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
