"""Risks that a person closes."""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.errors import NotFound, WrongState
from taskboard.models import Kind, Risk, Task
from taskboard.steering.rights import require, said


def opened(task: Task) -> "QuerySet[Risk]":
    """The open ones, oldest first."""
    return Risk.objects.filter(task=task, closed_at=None).select_related("item")


def close(risk: Risk, user: AbstractBaseUser, why: str) -> None:
    """It is dealt with, or none; the reason is kept."""
    require(user)
    why = said(why, _("Say why this risk is closed; the journal keeps it."))
    with lifecycle.changing(risk.task_id, user.get_username()) as change:
        closed = {"closed_by": user.get_username(), "closed_at": change.now, "closed_why": why}
        if not Risk.objects.filter(pk=risk.pk, closed_at=None).update(**closed):
            raise WrongState(_("This risk is closed already."))
        data = {"did": "close risk", "risk": risk.pk, "text": risk.text, "reason": why}
        change.record(Kind.RISK, item=risk.item.key if risk.item else "", data=data)


def find(task: Task, number: int) -> Risk:
    """The risk with this number; raises NotFound with a sentence."""
    risk = Risk.objects.filter(task=task, pk=number).select_related("item").first()
    if risk is None:
        raise NotFound(_("There is no such risk in this task."))
    return risk
