"""The facts that the rules judge, read from the database when they are needed."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.cards import reading
from approvals.models import Absence, Approval, ApprovalStatus
from approvals.rights import DECIDE, ROUTE, SEE
from approvals.rules import Absent, Person, Question
from taskboard import dates
from taskboard.errors import NotAllowed
from taskboard.models import StepStatus
from taskboard.rights import OPERATE


def person_of(user_pk: int) -> Person:
    """Read anew, never from a session: a right may have been taken away since the page was opened."""
    user: User | None = get_user_model().objects.filter(pk=user_pk).first()
    if user is None:
        raise NotAllowed(_("Your account does not exist any more."))
    may_decide = user.has_perm(DECIDE)
    away = Absence.objects.stood_in_for(user.pk, timezone.now()) if may_decide else []
    return Person(
        id=user.pk,
        name=user.get_username(),
        active=user.is_active,
        may_decide=may_decide,
        groups=_groups(user),
        may_see=user.has_perm(SEE),
        may_operate=user.has_perm(OPERATE),
        may_route=user.has_perm(ROUTE),
        stands_for=tuple(Absent(one.pk, one.get_username(), _groups(one)) for one in away),
    )


def _groups(user: User) -> frozenset[str]:
    return frozenset(user.groups.values_list("name", flat=True))


def question_of(approval: Approval) -> Question:
    task, step = approval.task, approval.step
    return Question(
        is_open=approval.status == ApprovalStatus.OPEN,
        held=approval.held,
        closed_how=closed_how(approval),
        expires_at=approval.expires_at,
        group=approval.group_name,
        starter_may_decide=approval.starter_may_decide,
        starter_id=task.created_by_id,
        starter_name=task.created_by_name,
        voters=frozenset(vote.user_id for vote in approval.votes.all() if vote.counts and vote.user_id),
        assignee_id=approval.assignee_id,
        assignee_name=approval.assignee_name,
        passed_on_by=approval.passed_on_by_id,
        decided_by=approval.decided_by_id,
        owed=approval.is_owed,
        hand_over_at=approval.hand_over_at,
        waits=step is None or step.status == StepStatus.WAITING_APPROVAL,
        is_long=reading.is_long(approval, reading.unshown(approval)),
        is_bare=reading.is_bare(approval),
        has_proposer=step is not None,
    )


def closed_how(approval: Approval) -> str:
    """Who, what and when, for the one who came too late."""
    if approval.closed_at is None:
        return ""
    who = {"who": approval.decided_by_name, "at": dates.second(approval.closed_at)}
    said = {
        ApprovalStatus.APPROVED: _("%(who)s approved this on %(at)s.") % who,
        ApprovalStatus.REJECTED: _("%(who)s rejected this on %(at)s.") % who,
        ApprovalStatus.CHANGES_REQUESTED: _("%(who)s asked for changes on %(at)s.") % who,
        ApprovalStatus.EXPIRED: _("Nobody answered in time; the question expired on %(at)s.") % who,
        ApprovalStatus.WITHDRAWN: _withdrawn(approval) % who,
        ApprovalStatus.VOID: _("The proposal changed on %(at)s; read the new question.") % who,
    }
    return said.get(ApprovalStatus(approval.status), "")


def _withdrawn(approval: Approval) -> str:
    if approval.decided_by_name:
        return _("%(who)s withdrew the question on %(at)s.")
    return _("The question was withdrawn on %(at)s.")
