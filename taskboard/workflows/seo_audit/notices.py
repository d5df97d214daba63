"""The step `notify`: a mail to the owner of the page, with a Message-ID by which it can be found again."""

import hashlib
import smtplib
import socket

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from taskboard import mail
from taskboard.context import Context
from taskboard.outcomes import (
    Absent,
    CannotTell,
    Done,
    FindAnswer,
    Found,
    GiveUp,
    NotSent,
    NotVerified,
    Outcome,
    Skip,
    Verified,
)
from taskboard.workflows.seo_audit import index, phrases, tickets
from taskboard.workflows.seo_audit.text import clean

FILES = "taskboard.mail.FileBackend"
WHERE = gettext_lazy("Look for the mail in the log of the mail server, or ask the owner of the page for it.")
BEFORE_SENDING = (
    ConnectionRefusedError, socket.gaierror, smtplib.SMTPConnectError, smtplib.SMTPHeloError,
    smtplib.SMTPAuthenticationError,
)  # fmt: skip


def send(ctx: Context) -> Outcome:
    """Tell the owner which ticket there is, and why."""
    if not tickets.needs_ticket(ctx):
        return Skip(tickets.why_none(ctx))
    to = owner(ctx)
    if not to:
        return Skip(phrases.NO_OWNER())
    try:
        _message(ctx, to).send()
    except BEFORE_SENDING as error:
        raise NotSent(phrases.NO_MAIL_SERVER(error=error)) from error
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused) as error:
        return GiveUp(phrases.MAIL_REFUSED(to=to, error=error))
    return Done(phrases.MAIL(to=to), outputs={"to": to}, external_id=message_id(ctx))


def find(_workflow: object, ctx: Context) -> FindAnswer:
    """Mail in files can be looked up; a mail server cannot be asked."""
    if settings.EMAIL_BACKEND != FILES:
        return CannotTell(phrases.MAIL_NOT_ASKED())
    found = mail.find(message_id(ctx))
    if found is None:
        return Absent()
    to = str(found["To"])
    return Found(message_id(ctx), phrases.MAIL(to=to), {"to": to})


def verify(_workflow: object, ctx: Context, _done: Done) -> Verified | NotVerified:
    """Mail in files is read back; for a server its answer is all there is, and the text says so. A mail of an
    earlier audit has been sent, whether or not its file is still kept."""
    if ctx.adopted:
        return Verified(phrases.TOLD_BEFORE())
    if settings.EMAIL_BACKEND != FILES:
        return Verified(phrases.MAIL_TAKEN())
    if mail.find(message_id(ctx)) is None:
        return NotVerified(phrases.NO_MAIL())
    return Verified(phrases.MAIL_READ())


def effect_key(_workflow: object, ctx: Context) -> str:
    """Names the mail by its reader and what it is about, so that nobody is told of one ticket twice."""
    to = owner(ctx)
    ticket = ctx.outputs.get("create_ticket", {}).get("ticket", "")
    return f"mail:{to}:{ticket}:{tickets.subject(ctx)}" if to and tickets.needs_ticket(ctx) else ""


def owner(ctx: Context) -> str:
    """The address that the page names, or the one given for the whole task."""
    return index.page(ctx.task_pk, ctx.item.key).owner or str(ctx.params.get("owner_mail") or "")


def message_id(ctx: Context) -> str:
    """A hash: an idempotency key may hold what no header takes."""
    return f"<{hashlib.sha256(ctx.idempotency_key.encode()).hexdigest()[:32]}@taskboard>"


def _message(ctx: Context, to: str) -> EmailMessage:
    ticket = ctx.outputs.get("create_ticket", {}).get("ticket", "")
    subject = _("%(ticket)s: your page %(path)s needs a look") % {"ticket": ticket, "path": ctx.item.key}
    text = _(
        "Hello,\n\nthe SEO audit %(task)s has opened ticket %(ticket)s for a page of yours.\n\n"
        "%(findings)s\n\nThis mail was sent by Taskboard.\n"
    ) % {"task": ctx.task_id, "ticket": ticket, "findings": tickets.body(ctx)}
    return EmailMessage(clean(subject)[:200], text, to=[to], headers={"Message-ID": message_id(ctx)})
