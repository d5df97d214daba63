"""What Taskboard itself knows behind a question: the steps that led to it with their age, and what they left."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import Group, User
from django.db.models import Q

from approvals.models import Approval
from taskboard.models import Artifact, Step, StepStatus
from taskboard.views import funnel
from taskboard.views.artifact_links import Shown, show

MOST = 12
MOST_PEOPLE = 200


@dataclass(frozen=True)
class Earlier:
    """A step that is done: what it says it found, when that was true, and whether that may be too long ago."""

    label: str
    summary: str
    at: datetime | None
    verified_how: str
    stale: bool


def earlier(approval: Approval, now: datetime) -> list[Earlier]:
    """The steps of this item that were done when it was asked, in the order in which they were."""
    if approval.step is None:
        return []
    done = Step.objects.filter(item=approval.step.item_id, status=StepStatus.DONE)
    before = done.exclude(pk=approval.step.pk).exclude(finished_at__gt=approval.requested_at)
    return [_earlier(approval, step, now) for step in before.order_by("pk")[:MOST]]


def artifacts(approval: Approval) -> Sequence[Shown]:
    """The newest results of this item that were there when it was asked."""
    return _shown(approval, Q(created_at__lte=approval.requested_at))


def later_artifacts(approval: Approval) -> Sequence[Shown]:
    """Those that came since; nobody could look at them who answered before."""
    return _shown(approval, Q(created_at__gt=approval.requested_at))


def _shown(approval: Approval, which: Q) -> Sequence[Shown]:
    if approval.step is None:
        return []
    found = Artifact.objects.filter(which, item=approval.step.item_id).order_by("-pk")[:MOST]
    return [show(approval.task, artifact) for artifact in found]


@dataclass(frozen=True)
class Receivers:
    """To whom a question can be passed on."""

    groups: Sequence[Group]
    people: Sequence[User]


def receivers(approval: Approval) -> Receivers:
    """The groups that may decide, and the people in them."""
    groups = Group.objects.filter(permissions__codename="decide_approval").order_by("name")
    people = User.objects.filter(is_active=True, groups__in=groups).distinct().order_by("username")
    others = [group for group in groups if group.name != approval.group_name or approval.assignee_id]
    return Receivers(others, list(people[:MOST_PEOPLE]))


def _earlier(approval: Approval, step: Step, now: datetime) -> Earlier:
    workflow = funnel.spec_of(approval.task)
    spec = workflow.steps.get(step.name) if workflow else None
    at = step.checked_at or step.verified_at or step.finished_at
    fresh_for = spec.fresh_for if spec else None
    stale = bool(at and fresh_for and now - at > fresh_for)
    return Earlier(funnel.label(spec, step.name), step.summary, at, step.verified_how, stale)
