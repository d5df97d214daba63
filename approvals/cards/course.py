"""What came of an answer: recorded, picked up, begun, accepted outside, proven there, each with its time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalQuerySet, Outcome, Source
from taskboard.models import Step, StepStatus
from taskboard.seal import sha256_of

UNDER_WAY = (StepStatus.PENDING, StepStatus.STARTED)


@dataclass(frozen=True)
class Course:
    """Empty where it has not come that far. `sha256` is the digest of what the step was really given."""

    recorded_at: datetime | None
    hand_over_at: datetime | None
    picked_up_at: datetime | None
    begun_at: datetime | None = None
    sha256: str = ""
    accepted_at: datetime | None = None
    external_id: str = ""
    verified_at: datetime | None = None
    verified_how: str = ""
    ended_at: datetime | None = None
    ended: str = ""
    """The status in which the step ended."""

    @property
    def moments(self) -> list[tuple[str, datetime]]:
        """One after the other, in words."""
        told = (
            (_("recorded"), self.recorded_at), (_("picked up"), self.picked_up_at), (_("begun"), self.begun_at),
            (_("accepted"), self.accepted_at), (_("verified"), self.verified_at), (self._end, self._ended_apart),
        )  # fmt: skip
        return [(word, at) for word, at in told if at is not None]

    @property
    def _end(self) -> str:
        return str(StepStatus(self.ended).label).lower() if self.ended else ""

    @property
    def _ended_apart(self) -> datetime | None:
        """Proven is the end already; any other end is told."""
        return None if self.verified_at else self.ended_at


def course_of(approval: Approval) -> Course:
    """Later questions of the same step do not count: what it did then was not by this answer."""
    step = _step_of(approval)
    return _course(approval, step, followed=_has_begun(approval, step) and _later(approval).exists())


def answered(asked: ApprovalQuerySet, limit: int) -> list[tuple[Approval, Course]]:
    """The latest answers of people, each with what came of it; one query."""
    later = Approval.objects.filter(step=OuterRef("step"), pk__gt=OuterRef("pk"))
    found = asked.filter(decided_at__isnull=False).annotate(followed=Exists(later)).select_related("step")
    latest = found.order_by("-decided_at", "-pk")[:limit]
    return [(one, _came_of(one)) for one in latest]


def _came_of(one: Approval) -> Course:
    """Of a row that knows whether a later one followed; what came with a document is looked up."""
    if one.source == Source.IMPORTED:
        return course_of(one)
    return _course(one, one.step, followed=cast(Any, one).followed)


def _step_of(approval: Approval) -> Step | None:
    """Its own. One that came with a document is not bound to the step of its name, so that it lets nothing through."""
    if approval.step is not None or approval.source != Source.IMPORTED:
        return approval.step
    named = {"item__key": approval.item_key, "name": approval.step_name, "revision": approval.revision}
    return Step.objects.filter(task=approval.task_id, **named).first()


def _later(approval: Approval) -> ApprovalQuerySet:
    later = Approval.objects.filter(task=approval.task_id, pk__gt=approval.pk)
    if approval.step_id:
        return later.filter(step=approval.step_id)
    names = ("item_key", "step_name", "revision")
    return later.filter(**{name: getattr(approval, name) for name in names})


def _course(approval: Approval, step: Step | None, *, followed: bool) -> Course:
    said = approval.decided_at, approval.hand_over_at, approval.picked_up_at
    if step is None or followed or not _has_begun(approval, step):
        return Course(*said)
    ended = step.finished_at is not None and step.status not in UNDER_WAY
    return Course(
        *said,
        begun_at=step.started_at,
        sha256=sha256_of(step.action) if step.action is not None else "",
        accepted_at=step.executed_at,
        external_id=step.external_id,
        verified_at=step.verified_at,
        verified_how=step.verified_how,
        ended_at=step.finished_at if ended else None,
        ended=step.status if ended else "",
    )


def _has_begun(approval: Approval, step: Step | None) -> bool:
    """With this answer: after it was picked up, and only by a yes."""
    if step is None or step.started_at is None or approval.picked_up_at is None:
        return False
    return approval.verdict == Outcome.APPROVE and step.started_at >= approval.picked_up_at
