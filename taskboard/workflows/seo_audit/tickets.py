"""The step `create_ticket`: one ticket per page that needs one, whatever happens on the way."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from taskboard.context import Context
from taskboard.outcomes import (
    Absent,
    CannotTell,
    Done,
    FindAnswer,
    Found,
    GiveUp,
    NotVerified,
    Outcome,
    Skip,
    Verified,
)
from taskboard.workflows.seo_audit import index, phrases
from taskboard.workflows.seo_audit.diagnosis import examine
from taskboard.workflows.seo_audit.names import cut_with_hash, plain_address
from taskboard.workflows.seo_audit.ticket import Refused
from taskboard.workflows.seo_audit.tracker import get_tracker

LONGEST_TITLE = 200
LONGEST_SUBJECT = 200


def needs_ticket(ctx: Context) -> bool:
    """Whether the diagnosis found something that somebody should see to."""
    return bool(ctx.outputs["diagnose"]["ticket"])


def why_none(ctx: Context) -> str:
    """The reason for a page that needs no ticket."""
    if ctx.outputs["diagnose"]["findings"]:
        return phrases.MINOR()
    return phrases.NOTHING()


def create(ctx: Context) -> Outcome:
    """Open the ticket; the tracker keeps one per idempotency key."""
    if not needs_ticket(ctx):
        return Skip(why_none(ctx))
    try:
        ticket = get_tracker().create(ctx.idempotency_key, title(ctx), body(ctx))
    except Refused as no:
        return GiveUp(str(no))
    return Done(phrases.TICKET(id=ticket.id), outputs={"ticket": ticket.id}, external_id=ticket.id)


def find(_workflow: object, ctx: Context) -> FindAnswer:
    """Ask the tracker for the ticket of our key."""
    try:
        ticket = get_tracker().find(ctx.idempotency_key)
    except Refused as no:
        return CannotTell(str(no))
    if ticket is None:
        return Absent()
    return Found(ticket.id, phrases.TICKET(id=ticket.id), {"ticket": ticket.id})


def verify(_workflow: object, ctx: Context, done: Done) -> Verified | NotVerified:
    """Read the ticket back."""
    ticket = get_tracker().find(ctx.idempotency_key)
    if ticket is None:
        return NotVerified(phrases.NO_TICKET())
    if ticket.id != done.external_id:
        return NotVerified(phrases.OTHER_TICKET(id=ticket.id))
    if ticket.title != title(ctx) and not ctx.adopted:
        return NotVerified(phrases.OTHER_TITLE(id=ticket.id, title=ticket.title))
    if ctx.adopted:
        return Verified(phrases.FORMER_TICKET(id=ticket.id))
    return Verified(phrases.TICKET_READ(id=ticket.id))


def effect_key(_workflow: object, ctx: Context) -> str:
    """Names the ticket by what it is about: the page and the kinds of its faults, whichever audit finds them."""
    return f"ticket:{subject(ctx)}" if needs_ticket(ctx) else ""


def subject(ctx: Context) -> str:
    """The same for the same page and kinds of faults in every audit of the site."""
    codes = ",".join(sorted(finding["code"] for finding in ctx.outputs["diagnose"]["findings"]))
    return cut_with_hash(f"{_place(ctx)}#{codes}", LONGEST_SUBJECT)


def _place(ctx: Context) -> str:
    url = str(ctx.item.params["url"])
    return plain_address(url) if "://" in url else f"{str(ctx.params['source']).rstrip('/')}/{ctx.item.key}"


def title(ctx: Context) -> str:
    """The page and its faults, on one line."""
    faults = "; ".join(finding["text"] for finding in ctx.outputs["diagnose"]["findings"])
    return cut_with_hash(" ".join(f"{ctx.item.key}: {faults}".split()), LONGEST_TITLE)


def body(ctx: Context) -> str:
    """The findings as sentences."""
    page = index.page(ctx.task_pk, ctx.item.key)
    linked = ctx.outputs["diagnose"]["impact"]
    links = ngettext("Linked from %(count)d other page.", "Linked from %(count)d other pages.", linked)
    lines = [
        _("Page: %(url)s") % {"url": page.url},
        _("Title: %(title)s") % {"title": page.title or "–"},
        links % {"count": linked},
        "",
        *(f"- [{finding.severity}] {finding.text}" for finding in examine(page)),
    ]
    return "\n".join(lines)
