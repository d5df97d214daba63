"""What a workflow's functions are given: the item at hand and the few verbs they may use."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Protocol

from taskboard.outcomes import NewArtifact, Usage


@dataclass(frozen=True)
class ItemFacts:
    """The item as a step sees it."""

    key: str
    label: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class SettledItem:
    """An item as a whole-task step sees it: its status and the outputs of its steps by step name."""

    key: str
    label: str
    status: str
    reason: str
    outputs: Mapping[str, Mapping[str, Any]]


class Context(Protocol):
    """Handed to every step, `find`, `verify` and `approval`."""

    task_id: str
    task_pk: int
    goal: str
    started_by: str
    params: Mapping[str, Any]
    item: ItemFacts
    step: str
    attempt: int
    revision: int
    idempotency_key: str
    adopted: bool
    """Whether the effect was had by another step, under whose key it can be found; its texts may differ."""
    external_id: str
    outputs: Mapping[str, Mapping[str, Any]]
    approved: Mapping[str, Any] | None

    @property
    def brief(self) -> str:
        """Where the task stands, as written at the last resume; empty before the first."""

    @property
    def instructions(self) -> Sequence[str]:
        """What people told the task, word for word, handed to this step; often empty."""

    def spend(self, usage: Usage, source: str) -> None:
        """Charge an amount at once; the same `source` in the same attempt charges once."""

    def artifact(self, new: NewArtifact) -> str:
        """Keep a result at once; returns its place."""

    def say(self, text: str) -> None:
        """A short line for people: what is being done now."""

    def risk(self, text: str, severity: str = "medium") -> None:
        """Something open that a later step or a person must know."""

    def items(self) -> Iterator[SettledItem]:
        """All items of the task, streamed; for whole-task steps."""

    def mail_starter(self) -> str:
        """The e-mail address of the one who started the task, or an empty text."""


class Reading(Protocol):
    """Handed to `items`: the parameters, and how far an earlier reading came."""

    task_id: str
    task_pk: int
    params: Mapping[str, Any]
    after: str
    """Key of the last item stored by an earlier, interrupted reading; empty at first."""
    count: int
    """How many items are stored already."""

    def pause(self, length: timedelta) -> None:
        """Wait between two fetches; ends early when the worker is told to stop."""

    def spend(self, amount: Decimal, source: str) -> None:
        """Charge what the reading itself costs."""
