"""The closed set of answers that a workflow's functions may give."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.db.models import Model


@dataclass(frozen=True)
class NewItem:
    """One object of the task. `rows` are unsaved model rows that are stored in the same transaction;
    those with a `task` field get it set."""

    key: str
    label: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[Model] = ()


@dataclass(frozen=True)
class Counted:
    """What a workflow found in a source before a task is started: `how` it was counted, in a sentence. With
    `at_least`, counting was cut short."""

    items: int
    how: str
    at_least: bool = False


@dataclass(frozen=True)
class Usage:
    """What a step consumed; `usd` is exact (Decimal or text), tokens and seconds are for the record."""

    usd: Decimal | str = "0"
    model: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class NewArtifact:
    """A result to keep: either `content`/`path` (stored under the product's own storage) or `url` (a link)."""

    name: str
    url: str = ""
    content: bytes | None = None
    path: Path | None = None
    media_type: str = ""


@dataclass(frozen=True)
class Done:
    """The step did its work. `outputs` go to later steps (JSON, at most 4 KB); `commit` runs in the very
    transaction that marks the step done, for changes of our own database."""

    summary: str = ""
    outputs: Mapping[str, Any] = field(default_factory=dict)
    external_id: str = ""
    usage: Usage | None = None
    artifacts: Sequence[NewArtifact] = ()
    commit: Callable[[], None] | None = None


@dataclass(frozen=True)
class Retry:
    """Nothing was done yet; try again `after` this pause (or by the step's own retry policy)."""

    reason: str
    after: timedelta | None = None


@dataclass(frozen=True)
class GoBack:
    """An earlier step has to be done anew; what came after it is superseded."""

    to: str
    reason: str


@dataclass(frozen=True)
class GiveUp:
    """This item cannot be done; a person may try again later."""

    reason: str


@dataclass(frozen=True)
class Skip:
    """This step is not needed for this item."""

    reason: str


class NotSent(Exception):
    """Raise from a write step: surely nothing went out (connection refused, a check before sending)."""

    def __init__(self, reason: str, retry_after: timedelta | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


Outcome = Done | Retry | GoBack | GiveUp | Skip


@dataclass(frozen=True)
class Found:
    """`find`: the effect is there, under this id."""

    external_id: str = ""
    summary: str = ""
    outputs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Absent:
    """`find`: the effect is surely not there."""


@dataclass(frozen=True)
class CannotTell:
    """`find`: the outside world cannot say."""

    reason: str


@dataclass(frozen=True)
class StillRunning:
    """`find`: the outside world is still working on it; ask again later."""

    after: timedelta = timedelta(seconds=30)


FindAnswer = Found | Absent | CannotTell | StillRunning


@dataclass(frozen=True)
class Verified:
    """`verify`: proven, and how ("ticket T-12 reads back with the same title")."""

    how: str


@dataclass(frozen=True)
class NotVerified:
    """`verify`: accepted, but it cannot be seen where it should be."""

    reason: str


@dataclass(frozen=True)
class Retries:
    """How often and how far apart a step is tried again: `first` pause, doubling up to `longest`."""

    times: int = 3
    first: timedelta = timedelta(seconds=2)
    longest: timedelta = timedelta(minutes=10)


@dataclass(frozen=True)
class Stage:
    """A group, and how many of it have to agree."""

    group: str
    needed: int = 1


@dataclass(frozen=True)
class Above:
    """One more group for amounts above `usd`. A question that names no amount counts as above."""

    usd: Decimal | str
    group: str
    needed: int = 1


@dataclass(frozen=True)
class Policy:
    """Who answers a question, and what if nobody does. `window` is the time to answer (at most 30 days), for each
    group anew: once enough of `group` have agreed, those of `then` are asked, one after the other, and last those
    of `above` whose amount is exceeded. With `veto` a single no decides; without it as many noes as yeses are
    needed. `remind_at` says after how many percent of the window people are reminded. `on_expiry` is "escalate"
    (ask `escalate_to`), "reject" or "approve"."""

    group: str = "Managers"
    needed: int = 1
    starter_may_decide: bool = False
    window: timedelta = timedelta(days=7)
    on_expiry: str = "escalate"
    escalate_to: str = "Administrators"
    then: Sequence[Stage] = ()
    above: Sequence[Above] = ()
    veto: bool = True
    remind_at: Sequence[int] = (50, 90)


@dataclass(frozen=True)
class Ask:
    """A question to a person. `payload` is the exact action: what the step gets as `ctx.approved` and what
    the seal is made of. `before`/`after` are shown as a diff. `impact_label` says what `impact` counts;
    `editable` names fields of the payload that the deciding person may change. `proposed_by` names the earlier step
    that makes the proposal and is done anew when a person asks for changes (otherwise the nearest one before that
    can be repeated)."""

    action: str
    payload: Mapping[str, Any]
    consequence: str = ""
    target: str = ""
    before: str = ""
    after: str = ""
    amount_usd: Decimal | str | None = None
    impact: int | None = None
    impact_label: str = ""
    evidence: Sequence[Mapping[str, str]] = ()
    editable: Sequence[str] = ()
    policy: Policy = Policy()
    proposed_by: str = ""
