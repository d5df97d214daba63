"""The facts that the rules judge, read from the database when they are needed."""

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalStatus
from approvals.rules import Person, Question
from taskboard.errors import NotAllowed


def person_of(user_pk: int) -> Person:
    """Read anew, never from a session: a right may have been taken away since the page was opened."""
    user: User | None = get_user_model().objects.filter(pk=user_pk).first()
    if user is None:
        raise NotAllowed(_("Your account does not exist any more."))
    return Person(
        id=user.pk,
        name=user.get_username(),
        active=user.is_active,
        may_decide=user.has_perm("approvals.decide_approval"),
        groups=frozenset(user.groups.values_list("name", flat=True)),
    )


def question_of(approval: Approval) -> Question:
    task = approval.task
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
    )


def closed_how(approval: Approval) -> str:
    """Who, what and when, for the one who came too late."""
    if approval.closed_at is None:
        return ""
    at = date_format(timezone.localtime(approval.closed_at), "j M Y, H:i:s T")
    who = {"who": approval.decided_by_name, "at": at}
    said = {
        ApprovalStatus.APPROVED: _("%(who)s approved this on %(at)s.") % who,
        ApprovalStatus.REJECTED: _("%(who)s rejected this on %(at)s.") % who,
        ApprovalStatus.CHANGES_REQUESTED: _("%(who)s asked for changes on %(at)s.") % who,
        ApprovalStatus.EXPIRED: _("Nobody answered in time; the question expired on %(at)s.") % who,
        ApprovalStatus.WITHDRAWN: _("The question was withdrawn on %(at)s.") % who,
        ApprovalStatus.VOID: _("The proposal changed on %(at)s; read the new question.") % who,
    }
    return said.get(ApprovalStatus(approval.status), "")
