"""Which questions there are for whom: the conditions of lists, of the sweep and of the resumer."""

from datetime import datetime
from typing import Any, Self, TypeVar

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Q

from approvals.models.policy import Absence
from approvals.models.statuses import ApprovalStatus
from approvals.models.vote import Vote
from approvals.rights import DECIDE, SEE

Asked = TypeVar("Asked", bound=models.Model)
Viewer = AbstractBaseUser | AnonymousUser
OWED = Q(picked_up_at=None) & ~Q(verdict="") & ~Q(status=ApprovalStatus.VOID)
"""Its verdict is known, and nobody has handed it over."""


class Questions(models.QuerySet[Asked]):
    """Questions about questions, for whatever holds them: the model imports this, and not the other way round."""

    def visible_to(self, user: Viewer) -> Self:
        """The questions this person may read: the one place to narrow later."""
        return self if user.has_perm(SEE) else self.none()  # type: ignore[union-attr]

    def open(self, now: datetime) -> Self:
        """Those that can be answered at this moment, whether a sweep has run or not."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), status=ApprovalStatus.OPEN, held=False)

    def unanswered(self, now: datetime) -> Self:
        """Open ones, and imported ones that wait for their workflow to ask them again."""
        return self.filter(
            Q(expires_at=None) | Q(expires_at__gt=now) | Q(held=True), status=ApprovalStatus.OPEN
        )

    def overdue(self, now: datetime) -> Self:
        """Past their deadline, and not closed by a sweep yet."""
        return self.filter(status=ApprovalStatus.OPEN, held=False, expires_at__lte=now)

    def undelivered(self, now: datetime | None = None) -> Self:
        """Their verdict is known, and the resumer has not handed it over yet; with `now`, those that may be."""
        owed = self.filter(OWED)
        return owed if now is None else owed.filter(Q(hand_over_at=None) | Q(hand_over_at__lte=now))

    def alive(self) -> Self:
        """Those that can still let a step go on: open to an answer, or answered and not handed over."""
        return self.filter(Q(status=ApprovalStatus.OPEN, held=False) | OWED)

    def inbox_of(self, user: Viewer, now: datetime) -> Self:
        """Open questions that this person may decide; the same rules as `rules.refusal`, as a query."""
        if not user.has_perm(DECIDE):  # type: ignore[union-attr]
            return self.none()
        may = _named(user.pk, user.groups.values("name"))  # type: ignore[union-attr]
        for one in Absence.objects.stood_in_for(user.pk, now):
            may |= _named(one.pk, one.groups.values("name")) & ~_started_by(one) & ~_answered_by(one.pk)
        return (
            self.open(now)
            .filter(may & ~_started_by(user) & ~_answered_by(user.pk))
            .exclude(passed_on_by=user.pk)
        )


def _named(user: int | None, groups: Any) -> Q:
    """Asked of this person, or of a group that they are in."""
    return Q(assignee=user) | Q(assignee=None, group_name__in=groups)


def _started_by(user: Viewer) -> Q:
    named = Q(task__created_by=user.pk) | Q(task__created_by=None, task__created_by_name=user.get_username())
    return Q(starter_may_decide=False) & named


def _answered_by(user: int | None) -> Q:
    return Q(pk__in=Vote.objects.filter(user=user, counts=True).values("approval"))
