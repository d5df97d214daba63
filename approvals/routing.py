"""A question is passed on to another person or group, or commented; its deadline stays."""

from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group, User
from django.utils.translation import gettext as _

from approvals import facts, rules, trail
from approvals.models import Approval, ApprovalStatus, Event
from approvals.rights import DECIDE
from approvals.rules import Doing, Person
from taskboard.change import Change
from taskboard.errors import BadInput
from taskboard.lifecycle import changing
from taskboard.models import Kind


def pass_on_to_person(approval_id: int, user: AbstractBaseUser, to: User, reason: str) -> Approval:
    """Only this person may answer then."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval, person = _begin(change, approval_id, user)
        if approval.needed > 1:
            raise BadInput(_("Several people have to answer this question: pass it on to a group."), "to")
        _fits(change, approval, facts.person_of(to.pk), person)
        fields = {"assignee_id": to.pk, "assignee_name": to.get_username()}
        _pass_on(change, approval, person, fields, to.get_username(), reason)
    return approval


def pass_on_to_group(approval_id: int, user: AbstractBaseUser, to: str, reason: str) -> Approval:
    """Members of this group may answer then, and nobody else."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval, person = _begin(change, approval_id, user)
        _is_group_that_decides(to)
        fields = {"group_name": to, "assignee_id": None, "assignee_name": ""}
        _pass_on(change, approval, person, fields, to, reason)
    return approval


def comment(approval_id: int, user: AbstractBaseUser, text: str) -> Event:
    """Said beside the question, without deciding anything."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval = trail.read(approval_id)
        person = trail.allowed(change, approval, user.pk, Doing.COMMENT)
        clean = trail.words(text, _("Write what you want to say."))
        trail.add(change, approval, person, Event.What.COMMENT, clean)
        trail.record(change, Kind.COMMENT, approval, text=clean)
    return approval.events.latest("pk")


def _begin(change: Change, approval_id: int, user: AbstractBaseUser) -> tuple[Approval, Person]:
    approval = trail.read(approval_id)
    return approval, trail.allowed(change, approval, user.pk, Doing.PASS_ON)


def _fits(change: Change, approval: Approval, to: Person, by: Person) -> None:
    """The rules that will judge the answer, asked before: nobody is handed what they could not decide."""
    if to.id == by.id:
        raise BadInput(_("This question is with you already."), "to")
    asked = facts.question_of(approval)
    named = rules.passed_on(asked, to)
    if refused := rules.refusal(named, to, change.now):
        raise BadInput(
            _("%(who)s could not answer it: %(why)s") % {"who": to.name, "why": refused.message}, "to"
        )


def _is_group_that_decides(name: str) -> None:
    group = Group.objects.filter(name=name).first()
    if group is None:
        raise BadInput(_("There is no such group."), "to")
    members = User.objects.filter(groups=group, is_active=True)
    if not any(member.has_perm(DECIDE) for member in members):
        raise BadInput(_("Nobody in this group has the right to decide questions."), "to")


def _pass_on(
    change: Change, approval: Approval, person: Person, fields: dict[str, Any], to: str, reason: str
) -> None:
    why = trail.words(reason, _("Say why you pass this question on."))
    values = {**fields, "passed_on_by_id": person.id}
    was = approval.assignee_name or approval.group_name
    Approval.objects.filter(pk=approval.pk, status=ApprovalStatus.OPEN).update(**values)
    for name, value in values.items():
        setattr(approval, name, value)
    told = {"from_whom": was, "to_whom": to}
    trail.add(change, approval, person, Event.What.PASSED_ON, why, **told)
    trail.record(change, Kind.PERSON, approval, did="pass on", reason=why, **told)
