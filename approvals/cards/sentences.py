"""What a card says of a question in sentences: who has to agree, what silence means, what each answer does."""

from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.models import Approval, ApprovalKind
from taskboard.looks import duration
from taskboard.sentences import read


def policy(approval: Approval) -> list[str]:
    """The rules of this question."""
    starter = (
        _("The one who started the task may decide too.")
        if approval.starter_may_decide
        else _("The one who started the task may not decide.")
    )
    return [*_who(approval), starter, _on_expiry(approval)]


def approve_does(approval: Approval) -> str:
    if approval.kind == ApprovalKind.BUDGET:
        return _("The limit is raised and the task goes on.")
    return _("The step runs once, with exactly the action shown here.")


def reject_does(approval: Approval) -> str:
    if approval.kind == ApprovalKind.BUDGET:
        return _("The limit stays, and the task stays blocked.")
    return _("The step ends without running. Your reason is kept for the people who wait.")


def changes_do(approval: Approval) -> str:
    """What follows when changes are asked for; empty where nothing can be proposed anew."""
    if approval.kind == ApprovalKind.BUDGET:
        return ""
    return _("The step that made this proposal runs again with your text. Then you are asked anew.")


def _who(approval: Approval) -> list[str]:
    if approval.assignee_name:
        return [_("It was passed on to %s, who has to agree.") % approval.assignee_name]
    stages = approval.stages
    first, *later = [
        (int(stage["needed"]), read(str(stage["group"]))) for stage in stages[approval.stage :] or stages
    ]
    asked = ngettext(
        "One member of %(group)s has to agree.", "%(n)s members of %(group)s have to agree.", first[0]
    )
    then = [
        ngettext("Then one member of %(group)s.", "Then %(n)s members of %(group)s.", n) for n, _g in later
    ]
    told = zip([asked, *then], [first, *later], strict=True)
    return [text % {"group": group, "n": n} for text, (n, group) in told]


def _on_expiry(approval: Approval) -> str:
    words = {
        "approve": _("If nobody answers in time, the action is carried out without a person’s yes."),
        "reject": _("If nobody answers in time, that counts as a no."),
    }
    then = _("If nobody answers within %(window)s, the question goes to %(group)s.") % {
        "window": duration(timedelta(seconds=approval.policy.get("window", 0))),
        "group": read(approval.policy.get("escalate_to") or approval.group_name),
    }
    return words.get(approval.policy.get("on_expiry", ""), then) if approval.policy else ""
