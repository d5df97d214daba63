"""The lists of questions that a person sees: which, in which order, how many."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Max
from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalQuerySet
from taskboard.money import to_usd

PAGE = 100
MINE, REQUESTS, OPEN, DECIDED = "mine", "requests", "open", "decided"


@dataclass(frozen=True)
class Tab:
    """One of the lists, and how many it holds; the history is not counted."""

    name: str
    label: str
    count: int | None


@dataclass(frozen=True)
class Inbox:
    """What is shown beside a card. `known` and `seen` let a refresh keep the order and tell what is new."""

    show: str
    tabs: Sequence[Tab]
    rows: Sequence[Approval]
    more: int
    new: int
    seen: int

    @property
    def known(self) -> str:
        return ",".join(str(row.pk) for row in self.rows)

    def after(self, pk: int | None) -> Approval | None:
        """The open question below this one, or the first open one from the top."""
        keys = [row.pk for row in self.rows]
        start = keys.index(pk) + 1 if pk in keys else 0
        return next((row for row in [*self.rows[start:], *self.rows[:start]] if row.is_open), None)

    def beside(self, pk: int, step: int) -> Approval | None:
        """The row above (-1) or below (1)."""
        keys = [row.pk for row in self.rows]
        place = keys.index(pk) + step if pk in keys else -1
        return self.rows[place] if 0 <= place < len(keys) else None


def page(user: User, show: str, now: datetime) -> Inbox:
    """A list as it is when the page is opened: the oldest deadline first."""
    show = _chosen(user, show)
    asked = questions(user, show, now)
    rows = list(asked.select_related("task")[:PAGE])
    more = asked.count() - len(rows) if len(rows) == PAGE else 0
    seen = Approval.objects.aggregate(last=Max("pk"))["last"] or 0
    return Inbox(show, tabs(user, now), rows, more, new=0, seen=seen)


def refreshed(user: User, show: str, known: Sequence[int], seen: int, now: datetime) -> Inbox:
    """The same rows in the same order, each as it is now; what came since is only announced."""
    show = _chosen(user, show)
    found = Approval.objects.visible_to(user).select_related("task").in_bulk(known)
    rows = [found[pk] for pk in known if pk in found]
    asked = questions(user, show, now)
    new = asked.filter(pk__gt=seen).exclude(pk__in=known).count() if show != DECIDED else 0
    return Inbox(show, tabs(user, now), rows, more=0, new=new, seen=seen)


def questions(user: User, show: str, now: datetime) -> ApprovalQuerySet:
    """The questions of one list, in its order."""
    visible = Approval.objects.visible_to(user)
    if show == DECIDED:
        return visible.filter(closed_at__isnull=False).order_by("-closed_at", "-pk")
    asked = visible.inbox_of(user, now) if show == MINE else visible.unanswered(now)
    if show == REQUESTS:
        asked = asked.filter(task__created_by=user)
    return asked.order_by(F("expires_at").asc(nulls_last=True), "pk")


def tabs(user: User, now: datetime) -> list[Tab]:
    labels = {MINE: _("To decide"), REQUESTS: _("My requests"), OPEN: _("All open")}
    counted = [Tab(name, label, questions(user, name, now).count()) for name, label in labels.items()]
    shown = counted if user.has_perm("approvals.decide_approval") else counted[1:]
    return [*shown, Tab(DECIDED, _("History"), None)]


def as_json(approval: Approval) -> dict[str, Any]:
    """A question as scripts read it."""
    amount = approval.amount_micro
    return {
        "id": approval.pk,
        "task": approval.task.public_id,
        "kind": approval.kind,
        "item": approval.item_key,
        "step": approval.step_name,
        "status": approval.shown_status,
        "action": approval.action,
        "consequence": approval.consequence,
        "amount_usd": None if amount is None else str(to_usd(amount)),
        "requested_at": approval.requested_at.isoformat(),
        "expires_at": approval.expires_at.isoformat() if approval.expires_at else None,
        "digest": approval.payload_sha256,
        "group": approval.group_name,
        "held": approval.held,
    }


def _chosen(user: User, show: str) -> str:
    default = MINE if user.has_perm("approvals.decide_approval") else OPEN
    return show if show in (MINE, REQUESTS, OPEN, DECIDED) else default
