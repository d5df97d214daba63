"""The step `apply_fix`: a better title or description, put into the working copy of the site."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from taskboard.context import Context
from taskboard.outcomes import (
    Absent,
    Ask,
    CannotTell,
    Done,
    FindAnswer,
    Found,
    GiveUp,
    GoBack,
    NewArtifact,
    NotVerified,
    Outcome,
    Skip,
    Verified,
)
from taskboard.workflows.seo_audit import index, phrases, tickets, wishes
from taskboard.workflows.seo_audit.errors import CannotChange, Unreadable
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.proposal import SiteWords, propose
from taskboard.workflows.seo_audit.splice import unified_diff
from taskboard.workflows.seo_audit.text import clean
from taskboard.workflows.seo_audit.working_copy import Copy, digest, open_copy

FIELDS = ("title", "description")


@dataclass(frozen=True)
class Fix:
    """New texts for one page."""

    copy: Copy
    texts: Mapping[str, str]

    def diff(self) -> str:
        """What they change in the page as it was read."""
        page, before = self.copy.page, self.copy.original
        return unified_diff(page.path, before, self.copy.with_texts(self.texts), page.charset)


def planned(ctx: Context) -> Fix | None:
    """What the machine would change; None if there is nothing. Raises Unreadable or CannotChange."""
    codes = [finding["code"] for finding in ctx.outputs["diagnose"]["findings"]]
    if not tickets.needs_ticket(ctx) or "page.unreadable" in codes:
        return None
    copy = open_copy(ctx, ctx.item.key)
    texts = propose(copy.page, copy.original, codes, partial(_site_words, copy.page))
    if "title" in texts and index.is_title(ctx.task_pk, texts["title"]):
        del texts["title"]
    return Fix(copy, texts) if texts else None


def approval(_workflow: object, ctx: Context) -> Ask | None:
    """A person decides on pages that many others link to."""
    if int(ctx.outputs["diagnose"]["impact"]) < int(ctx.params["approve_over"]):
        return None
    try:
        fix = planned(ctx)
        return _question(ctx, _with_wishes(ctx, fix)) if fix else None
    except (Unreadable, CannotChange):
        return None  # the step itself will say so


def apply(ctx: Context) -> Outcome:
    """Write the approved texts, or our own; the difference is kept as an artifact first."""
    try:
        fix = wanted(ctx)
        if fix is None:
            return Skip(_why_none(ctx))
        if ctx.approved and ctx.approved["before_sha256"] != digest(fix.copy.original):
            return GoBack("diagnose", phrases.PAGE_CHANGED())
        ctx.artifact(
            NewArtifact(f"{ctx.item.key}.diff", content=fix.diff().encode(), media_type="text/x-diff")
        )
        fix.copy.put(fix.texts)
    except (Unreadable, CannotChange) as error:
        return GiveUp(phrases.CANNOT_CHANGE(path=ctx.item.key, what=error))
    return Done(_summary(fix.texts), outputs=_told(fix.texts), external_id=fix.copy.name)


def find(_workflow: object, ctx: Context) -> FindAnswer:
    """Look into the working copy."""
    try:
        fix = wanted(ctx)
        answer = fix.copy.find(fix.texts) if fix else Absent()
    except (Unreadable, CannotChange) as error:
        return CannotTell(str(error))
    if fix and isinstance(answer, Found):
        return Found(answer.external_id, _summary(fix.texts), _told(fix.texts))
    return answer


def verify(_workflow: object, ctx: Context, _done: Done) -> Verified | NotVerified:
    """Read the page back as a browser would."""
    fix = wanted(ctx)
    if fix and fix.copy.shows(fix.texts):
        return Verified(phrases.SHOWN())
    return NotVerified(phrases.NOT_SHOWN())


def undo(_workflow: object, ctx: Context) -> None:
    """Take our own change out of the working copy."""
    open_copy(ctx, ctx.item.key).take_back()


def wanted(ctx: Context) -> Fix | None:
    """The texts to write: the ones that were approved, word for word, or else our own."""
    if not ctx.approved:
        return planned(ctx)
    texts = {field: clean(str(ctx.approved[field])) for field in FIELDS if ctx.approved.get(field)}
    return Fix(open_copy(ctx, ctx.item.key), texts) if any(texts.values()) else None


def _with_wishes(ctx: Context, fix: Fix) -> Fix:
    """With the texts that were asked for, if the page can take them."""
    wished = Fix(fix.copy, {**fix.texts, **ctx.outputs["diagnose"].get("asked_for", {})})
    try:
        wished.diff()
    except CannotChange:
        return fix
    return wished


def _why_none(ctx: Context) -> str:
    codes = [finding["code"] for finding in ctx.outputs["diagnose"]["findings"]]
    if not tickets.needs_ticket(ctx):
        return tickets.why_none(ctx)
    if "title.duplicate" in codes:
        return phrases.WITH_ITS_TWINS()
    return phrases.BY_HAND()


def _site_words(page: SitePage) -> SiteWords:
    return SiteWords(index.site_name(page.task_id), index.shares_heading(page))


def _question(ctx: Context, fix: Fix) -> Ask:
    path, impact = ctx.item.key, int(ctx.outputs["diagnose"]["impact"])
    page, diff = fix.copy.page, fix.diff()
    what = _names(fix.texts)
    payload = {
        "path": path, **fix.texts, "before_sha256": digest(fix.copy.original),
        "after_sha256": digest(fix.copy.with_texts(fix.texts)),
    }  # fmt: skip
    return Ask(
        action=phrases.CHANGE(what=what, path=path),
        payload=payload,
        consequence=phrases.REWRITES(what=what, path=path, n=impact),
        target=path,
        before=_shown({field: getattr(page, field) for field in fix.texts}),
        after=_shown(fix.texts),
        impact=impact,
        impact_label=phrases.PAGE_LINKS() if impact == 1 else phrases.PAGES_LINK(),
        evidence=[
            *_answered(ctx, fix),
            {
                "label": phrases.FINDINGS(),
                "text": "; ".join(f["text"] for f in ctx.outputs["diagnose"]["findings"]),
            },
            {
                "label": phrases.TICKET_LABEL(),
                "text": str(ctx.outputs.get("create_ticket", {}).get("ticket", "–")),
            },
            {"label": phrases.DIFFERENCE(), "text": diff},
        ],
        editable=tuple(fix.texts),
    )


def _answered(ctx: Context, fix: Fix) -> list[dict[str, str]]:
    """What became of a request for changes; nothing where there was none."""
    asked = ctx.outputs["diagnose"].get("asked_for")
    if asked is None:
        return []
    labels = wishes.labels()
    taken = [labels[field] for field, text in asked.items() if fix.texts.get(field) == text]
    return [wishes.answer(taken, f"{labels[next(iter(fix.texts))]}: …")]


def _shown(texts: Mapping[str, str]) -> str:
    labels = wishes.labels()
    return "".join(f"{labels[field]}: {text or '–'}\n" for field, text in texts.items())


def _names(texts: Mapping[str, str]) -> str:
    if set(texts) == set(FIELDS):
        return phrases.BOTH()
    return phrases.TITLE() if "title" in texts else phrases.DESCRIPTION()


def _summary(texts: Mapping[str, str]) -> str:
    return phrases.NEW_TEXTS(what=_names(texts))


def _told(texts: Mapping[str, str]) -> dict[str, Any]:
    return {field: text[:500] for field, text in texts.items()}
