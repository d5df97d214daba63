"""The step `rewrite_titles`: pages that share a title each get one of their own, all in one change."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from taskboard.context import Context
from taskboard.outcomes import (
    Absent,
    Ask,
    CannotTell,
    Done,
    FindAnswer,
    Found,
    NewArtifact,
    NotVerified,
    Outcome,
    Skip,
    Verified,
)
from taskboard.workflows.seo_audit import index, phrases, wishes
from taskboard.workflows.seo_audit.errors import CannotChange, Unreadable
from taskboard.workflows.seo_audit.splice import unified_diff
from taskboard.workflows.seo_audit.titles import titles_by_path, unique_titles
from taskboard.workflows.seo_audit.working_copy import Copy, digest, open_copy

DIFF = "rewrite-titles.diff"
SHOWN_GROUPS = 50


def approval(_workflow: object, ctx: Context) -> Ask | None:
    """Always a person's decision, unless no title is used twice."""
    groups = index.duplicate_titles(ctx.task_pk)
    titles, sources = _planned(ctx, groups)
    if not titles:
        return None
    old = titles_by_path(groups)
    asked = _asked_for(ctx, titles)
    titles |= asked
    return Ask(
        action=phrases.GROUPS(n=len(groups)),
        payload={"titles": titles, "sources": sources},
        consequence=phrases.OWN_TITLES(count=len(titles)),
        target=phrases.PAGES(count=len(titles)),
        before="".join(f"{path}: {old[path]}\n" for path in titles),
        after="".join(f"{path}: {title}\n" for path, title in titles.items()),
        impact=len(titles),
        impact_label=phrases.NEW_TITLE() if len(titles) == 1 else phrases.NEW_TITLES(),
        evidence=[*_answered(ctx, titles, asked), *_evidence(groups)],
    )


def rewrite(ctx: Context) -> Outcome:
    """Write the approved titles; a page that has changed in the meantime is left alone, and that is said."""
    if not ctx.approved:
        return Skip(phrases.NO_DUPLICATES())
    done, left = [], []
    ctx.artifact(NewArtifact(DIFF, content=_diff(ctx).encode(), media_type="text/x-diff"))
    for path, title in _titles(ctx).items():
        try:
            copy = _unchanged(ctx, path)
            copy.put({"title": title})
            done.append(path)
        except (Unreadable, CannotChange) as error:
            left.append(_("%(path)s keeps its title: %(reason)s.") % {"path": path, "reason": error})
    if left:
        ctx.risk(" ".join(left[:20]))
    outputs = {"pages": len(done), "left": len(left)}
    return Done(phrases.TITLES_DONE(n=len(done)), outputs=outputs, external_id=DIFF)


def find(_workflow: object, ctx: Context) -> FindAnswer:
    """All written, or to be done (once more: that changes nothing), or touched by somebody else."""
    answers = list(_answers(ctx))
    strange = next((answer for answer in answers if isinstance(answer, CannotTell)), None)
    if strange:
        return strange
    if answers and all(isinstance(answer, Found) for answer in answers):
        return Found(DIFF, phrases.TITLES_THERE(), {"pages": len(answers), "left": 0})
    return Absent()


def verify(_workflow: object, ctx: Context, _done: Done) -> Verified | NotVerified:
    """Read every page back."""
    wrong = [path for path, copy in _copies(ctx) if not copy.shows({"title": _titles(ctx)[path]})]
    if wrong:
        return NotVerified(phrases.TITLES_NOT_SHOWN(paths=", ".join(wrong[:20])))
    return Verified(phrases.TITLES_SHOWN())


def undo(_workflow: object, ctx: Context) -> None:
    """Take the titles out of the working copy again."""
    for path in _titles(ctx):
        open_copy(ctx, path).take_back()


def _planned(ctx: Context, groups: list[Any]) -> tuple[dict[str, str], dict[str, str]]:
    """The new titles of the pages that can be changed, and the hashes of these pages."""
    old = titles_by_path(groups)
    name = index.site_name(ctx.task_pk)
    titles, sources = {}, {}
    for path, title in unique_titles(groups, index.other_titles(ctx.task_pk, set(old)), name).items():
        try:
            copy = open_copy(ctx, path)
            copy.with_texts({"title": title})
        except (Unreadable, CannotChange):
            continue
        titles[path], sources[path] = title, digest(copy.original)
    return titles, sources


def _asked_for(ctx: Context, titles: Mapping[str, str]) -> dict[str, str]:
    """The titles that a person named who asked for another proposal; not one that another page has."""
    if ctx.revision == 1:
        return {}
    wished = wishes.named(ctx.instructions, {path: path for path in titles})
    others = set(index.other_titles(ctx.task_pk, set(titles)))
    others |= {title for path, title in titles.items() if path not in wished}
    unique = {title: path for path, title in wished.items() if title not in others}
    return {path: title for title, path in unique.items()}


def _answered(ctx: Context, titles: Mapping[str, str], asked: Mapping[str, str]) -> list[dict[str, str]]:
    if ctx.revision == 1 or not ctx.instructions:
        return []
    return [wishes.answer(asked, f"{next(iter(titles))}: …")]


def _titles(ctx: Context) -> Mapping[str, str]:
    return ctx.approved["titles"] if ctx.approved else {}


def _unchanged(ctx: Context, path: str) -> Copy:
    copy = open_copy(ctx, path)
    if ctx.approved and ctx.approved["sources"].get(path) != digest(copy.original):
        raise CannotChange(_("the page has changed since the titles were approved"))
    return copy


def _copies(ctx: Context) -> Iterator[tuple[str, Copy]]:
    for path in _titles(ctx):
        try:
            yield path, _unchanged(ctx, path)
        except (Unreadable, CannotChange):
            continue


def _answers(ctx: Context) -> Iterator[FindAnswer]:
    for path, copy in _copies(ctx):
        try:
            yield copy.find({"title": _titles(ctx)[path]})
        except (Unreadable, CannotChange) as error:
            yield CannotTell(f"{path}: {error}.")


def _diff(ctx: Context) -> str:
    parts = []
    for path, copy in _copies(ctx):
        try:
            after = copy.with_texts({"title": _titles(ctx)[path]})
        except CannotChange:
            continue
        parts.append(unified_diff(path, copy.original, after, copy.page.charset))
    return "".join(parts)


def _evidence(groups: list[Any]) -> list[dict[str, str]]:
    shown = [
        {"label": title, "text": ", ".join(page.path for page in pages)}
        for title, pages in groups[:SHOWN_GROUPS]
    ]
    if len(groups) > SHOWN_GROUPS:
        more = phrases.IN_THE_LIST(count=len(groups))
        shown.append({"label": phrases.FURTHER(), "text": more})
    return shown
