"""Risks that a person raises or closes."""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import Kind, Risk, Task
from taskboard.rights import require, require_steerable, said


def opened(task: Task) -> "QuerySet[Risk]":
    """The open ones, oldest first."""
    return Risk.objects.filter(task=task, closed_at=None).select_related("item")


def raise_risk(task: Task, user: AbstractBaseUser, text: str, severity: str = Risk.Severity.MEDIUM) -> Risk:
    """Something open that a later step or another person must know."""
    require(user)
    clean = said(text, _("Say what may go wrong."))
    if severity not in Risk.Severity:
        raise BadInput(_("A risk is low, medium or high."))
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        new = Risk.objects.create(
            task=change.task,
            text=clean,
            severity=severity,
            raised_by=user.get_username(),
            raised_at=change.now,
        )
        data = {"did": "open risk", "risk": new.pk, "text": clean, "severity": severity}
        change.record(Kind.RISK, data=data)
    return new


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
