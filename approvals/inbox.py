"""The lists of questions that a person sees: which, in which order, how many."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, F, Max, When
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from approvals import finding
from approvals.finding import Wish
from approvals.models import Approval, ApprovalKind, ApprovalQuerySet
from approvals.rights import DECIDE
from taskboard.models import Task
from taskboard.money import to_usd
from taskboard.views import funnel

PAGE = 100
MINE, REQUESTS, OPEN, DECIDED = "mine", "requests", "open", "decided"
BUDGET_FIRST = Case(When(kind=ApprovalKind.BUDGET, then=0), default=1)
"""A spent budget stops its whole task, any other question one item."""


@dataclass(frozen=True)
class Tab:
    """One of the lists, and how many it holds; the history is not counted."""

    name: str
    label: str
    count: int | None


@dataclass(frozen=True)
class Group:
    """Questions of one kind in one task, or answers of one day."""

    rows: Sequence[Approval]
    task: Task | None = None
    label: str = ""
    day: date | None = None


@dataclass(frozen=True)
class Inbox:
    """What is shown beside a card. `known` and `seen` let a refresh keep the order and tell what is new."""

    show: str
    wish: Wish
    tabs: Sequence[Tab]
    rows: Sequence[Approval]
    more: int
    new: int
    seen: int
    answered: bool = False

    @property
    def known(self) -> str:
        return ",".join(str(row.pk) for row in self.rows)

    @property
    def query(self) -> str:
        """The list and what it is narrowed to, as the address says it."""
        return urlencode({"show": self.show, **self.wish.given})

    @property
    def groups(self) -> list[Group]:
        """Rows that belong together; they stand side by side already."""
        if self.answered:
            return [Group(list(rows), day=day) for day, rows in groupby(self.rows, _day)]
        return [_group(list(rows)) for _key, rows in groupby(self.rows, _kind)]

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


def page(user: User, said: Mapping[str, str], now: datetime) -> Inbox:
    """A list as it is when the page is opened: what belongs together side by side, the most urgent first."""
    show = chosen(user, said.get("show", ""))
    answered = is_answered(show, said)
    wish = finding.wished(said, answered=answered)
    asked = finding.narrowed(questions(user, show, now, answered=answered), wish, now)
    rows = list(asked.select_related("task")[:PAGE])
    more = asked.count() - len(rows) if len(rows) == PAGE else 0
    seen = Approval.objects.aggregate(last=Max("pk"))["last"] or 0
    shown = rows if answered else _together(rows)
    return Inbox(show, wish, tabs(user, now), shown, more, 0, seen, answered)


def refreshed(user: User, said: Mapping[str, str], known: Sequence[int], seen: int, now: datetime) -> Inbox:
    """The same rows in the same order, each as it is now; what came since is only announced."""
    show = chosen(user, said.get("show", ""))
    answered = is_answered(show, said)
    wish = finding.wished(said, answered=answered)
    found = Approval.objects.visible_to(user).select_related("task").in_bulk(known)
    rows = [found[pk] for pk in known if pk in found]
    others = finding.narrowed(questions(user, show, now, answered=answered), wish, now).exclude(pk__in=known)
    new = 0 if answered else others.filter(pk__gt=seen).count()
    return Inbox(show, wish, tabs(user, now), rows, others.count() - new, new, seen, answered)


def chosen(user: User, show: str) -> str:
    """The list that is meant; for who may decide it is theirs, else all that is open."""
    default = MINE if user.has_perm(DECIDE) else OPEN
    return show if show in (MINE, REQUESTS, OPEN, DECIDED) else default


def is_answered(show: str, said: Mapping[str, str]) -> bool:
    """Whether the list is one of answers: the history, or those to one's own requests."""
    return show == DECIDED or (show == REQUESTS and said.get("state") == finding.ANSWERED)


def questions(user: User, show: str, now: datetime, *, answered: bool = False) -> ApprovalQuerySet:
    """The questions of one list, in its order."""
    visible = Approval.objects.visible_to(user)
    if show == REQUESTS:
        visible = visible.filter(task__created_by=user)
    if show == DECIDED or answered:
        return visible.filter(closed_at__isnull=False).order_by("-closed_at", "-pk")
    asked = visible.inbox_of(user, now) if show == MINE else visible.unanswered(now)
    return asked.order_by(BUDGET_FIRST, F("expires_at").asc(nulls_last=True), "pk")


def tabs(user: User, now: datetime) -> list[Tab]:
    labels = {MINE: _("To decide"), REQUESTS: _("My requests"), OPEN: _("All open")}
    counted = [Tab(name, label, questions(user, name, now).count()) for name, label in labels.items()]
    shown = counted if user.has_perm(DECIDE) else counted[1:]
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
        "assignee": approval.assignee_name,
        "held": approval.held,
    }


def _together(rows: Sequence[Approval]) -> list[Approval]:
    """Those of one kind in one task follow the first of them, which is the most urgent."""
    kinds = {kind: place for place, kind in reversed(list(enumerate(map(_kind, rows))))}
    return sorted(rows, key=lambda row: kinds[_kind(row)])


def _kind(row: Approval) -> tuple[int, str, str]:
    return row.task_id, row.kind, row.step_name


def _day(row: Approval) -> date | None:
    return timezone.localdate(row.closed_at) if row.closed_at else None


def _group(rows: Sequence[Approval]) -> Group:
    first = rows[0]
    if first.kind == ApprovalKind.BUDGET:
        return Group(rows, first.task, _("Budget"))
    spec = funnel.spec_of(first.task)
    step = funnel.label(spec.steps.get(first.step_name) if spec else None, first.step_name)
    return Group(rows, first.task, step)
