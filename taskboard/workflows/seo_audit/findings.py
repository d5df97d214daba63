"""What is wrong with a page: its facts and its surroundings in, findings out. No database."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from taskboard.sentences import Sentence
from taskboard.workflows.seo_audit import phrases
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.text import width

TITLE = (10, 60)
DESCRIPTION = (50, 160)
SHOWN_LINKS = 10
HIGH, MEDIUM, LOW = "high", "medium", "low"
BY_TITLE = ("title.missing", "title.empty", "title.short", "title.long")
BY_DESCRIPTION = tuple(f"description.{fault}" for fault in ("missing", "empty", "short", "long", "duplicate"))
KINDS = {
    "page.unreadable": (HIGH, Sentence(gettext_noop("Cannot be read"))),
    "title.missing": (HIGH, Sentence(gettext_noop("Missing title"))),
    "title.empty": (HIGH, Sentence(gettext_noop("Empty title"))),
    "links.broken": (HIGH, Sentence(gettext_noop("Broken links"))),
    "title.short": (MEDIUM, Sentence(gettext_noop("Title too short"))),
    "title.duplicate": (MEDIUM, Sentence(gettext_noop("Duplicate title"))),
    "description.missing": (MEDIUM, Sentence(gettext_noop("Missing description"))),
    "description.empty": (MEDIUM, Sentence(gettext_noop("Empty description"))),
    "description.duplicate": (MEDIUM, Sentence(gettext_noop("Duplicate description"))),
    "h1.missing": (MEDIUM, Sentence(gettext_noop("Missing main heading"))),
    "images.alt": (MEDIUM, Sentence(gettext_noop("Images without alt"))),
    "robots.noindex": (MEDIUM, Sentence(gettext_noop("Hidden from search engines"))),
    "canonical.elsewhere": (MEDIUM, Sentence(gettext_noop("Canonical address is another page"))),
    "lang.missing": (MEDIUM, Sentence(gettext_noop("Missing language"))),
    "title.long": (LOW, Sentence(gettext_noop("Title too long"))),
    "description.short": (LOW, Sentence(gettext_noop("Description too short"))),
    "description.long": (LOW, Sentence(gettext_noop("Description too long"))),
    "h1.several": (LOW, Sentence(gettext_noop("Several main headings"))),
    "canonical.missing": (LOW, Sentence(gettext_noop("Missing canonical address"))),
    "viewport.missing": (LOW, Sentence(gettext_noop("Missing viewport"))),
}


@dataclass(frozen=True)
class Finding:
    """One fault: a code for software, a sentence for the ticket, a few words for lists."""

    code: str
    text: str
    count: str = ""

    @property
    def severity(self) -> str:
        """How grave this kind of fault is."""
        return KINDS[self.code][0]

    @property
    def short(self) -> str:
        """`Missing title`, `2 images without alt`."""
        return self.count or KINDS[self.code][1]()


@dataclass(frozen=True)
class Surroundings:
    """What the rest of the site says about the page."""

    title_twins: int = 0
    description_twins: int = 0
    broken_links: Sequence[str] = ()


def find(page: SitePage, around: Surroundings) -> list[Finding]:
    """All faults, the gravest first."""
    if page.error:
        return [Finding("page.unreadable", _("This page cannot be read: %(why)s.") % {"why": page.error})]
    judges: tuple[Callable[[SitePage, Surroundings], Iterator[Finding]], ...] = (
        _title,
        _description,
        _heading,
        _links,
        _images,
        _address,
        _basics,
    )
    found = [finding for judge in judges for finding in judge(page, around)]
    return sorted(found, key=lambda finding: (HIGH, MEDIUM, LOW).index(finding.severity))


def needs_ticket(findings: Sequence[Finding]) -> bool:
    """Small blemishes alone are not worth a ticket."""
    return any(finding.severity != LOW for finding in findings)


def _title(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    numbers = {"columns": width(page.title), "shortest": TITLE[0], "longest": TITLE[1]}
    if not page.has_title:
        yield Finding("title.missing", _("The page has no <title>."))
    elif not page.title:
        yield Finding("title.empty", _("The <title> of the page is empty."))
    elif numbers["columns"] < TITLE[0]:
        text = _("The title is only %(columns)d characters wide; use %(shortest)d or more.")
        yield Finding("title.short", text % numbers)
    elif numbers["columns"] > TITLE[1]:
        text = _("The title is %(columns)d characters wide; search engines show about %(longest)d.")
        yield Finding("title.long", text % numbers)
    if count := around.title_twins:
        text = ngettext(
            "%(n)d other page has the same title.", "%(n)d other pages have the same title.", count
        )
        yield Finding("title.duplicate", text % {"n": count})


def _description(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    numbers = {"columns": width(page.description), "shortest": DESCRIPTION[0], "longest": DESCRIPTION[1]}
    if not page.has_description:
        text = _('The page has no description (<meta name="description">) for search results to show.')
        yield Finding("description.missing", text)
    elif not page.description:
        yield Finding("description.empty", _("The description of the page is empty."))
    elif numbers["columns"] < DESCRIPTION[0]:
        text = _("The description is only %(columns)d characters wide; use %(shortest)d or more.")
        yield Finding("description.short", text % numbers)
    elif numbers["columns"] > DESCRIPTION[1]:
        text = _(
            "The description is %(columns)d characters wide; search engines cut it at about %(longest)d."
        )
        yield Finding("description.long", text % numbers)
    if count := around.description_twins:
        text = ngettext(
            "%(n)d other page has the same description.",
            "%(n)d other pages have the same description.",
            count,
        )
        yield Finding("description.duplicate", text % {"n": count})


def _heading(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    if page.h1_count == 0:
        yield Finding("h1.missing", _("The page has no main heading (<h1>)."))
    elif page.h1_count > 1:
        text = _("The page has %(n)d main headings (<h1>); one says what it is about.")
        yield Finding("h1.several", text % {"n": page.h1_count})


def _links(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    count = len(around.broken_links)
    if not count:
        return
    shown = ", ".join(around.broken_links[:SHOWN_LINKS])
    if count > SHOWN_LINKS:
        shown = _("%(shown)s and %(count)d more") % {"shown": shown, "count": count - SHOWN_LINKS}
    text = ngettext(
        "%(n)d link leads to a page that is not there: %(shown)s.",
        "%(n)d links lead to pages that are not there: %(shown)s.",
        count,
    )
    yield Finding("links.broken", text % {"n": count, "shown": shown}, phrases.BROKEN_LINKS(n=count))


def _images(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    count = page.images_without_alt
    if not count:
        return
    text = ngettext(
        "%(n)d of %(all)d images has no alternative text (alt).",
        "%(n)d of %(all)d images have no alternative text (alt).",
        count,
    )
    yield Finding("images.alt", text % {"n": count, "all": page.images}, phrases.BARE_IMAGES(n=count))


def _address(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    if page.noindex:
        text = _("The page asks search engines to leave it out (robots: %(robots)s).")
        yield Finding("robots.noindex", text % {"robots": page.robots})
    if not page.canonical:
        yield Finding("canonical.missing", _("The page does not name its canonical address."))
    elif page.canonical_elsewhere:
        text = _("The page names another one as its canonical address: %(address)s.")
        yield Finding("canonical.elsewhere", text % {"address": page.canonical})


def _basics(page: SitePage, around: Surroundings) -> Iterator[Finding]:
    if not page.lang:
        yield Finding(
            "lang.missing", _("The page does not say in which language it is written (<html lang>).")
        )
    if not page.viewport:
        text = _('The page does not adapt to small screens (<meta name="viewport"> is missing).')
        yield Finding("viewport.missing", text)
