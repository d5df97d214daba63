"""What pages of the other app show of approvals."""

from typing import Any

from django import template
from django.template import Context

from approvals import oversight, proof
from approvals.models import Approval
from approvals.models.notice import NoticeKind
from approvals.telling import recipients

register = template.Library()


@register.inclusion_tag("approvals/_mails.html", takes_context=True)
def mail_choices(context: Context) -> dict[str, Any]:
    """The form with the kinds of mail that the reader wants."""
    user = context["request"].user
    wants = recipients.wanted(user)
    kinds = [(kind, kind.value in wants) for kind in NoticeKind]
    return {"kinds": kinds, "email": user.email, "csrf_token": context.get("csrf_token")}


@register.simple_tag
def shown_mark(approval: Approval) -> str:
    """For the form of a card: when it was shown."""
    return oversight.shown_mark(approval.pk)


@register.simple_tag(takes_context=True)
def read_proof(context: Context, approval: Approval) -> str:
    """Goes where the complete text ends: this reader was given all of it."""
    return proof.give(approval.pk, context["request"].user, approval.payload_sha256)
