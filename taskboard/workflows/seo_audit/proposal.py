"""A better title or description, made from the page's own words; the same page always gives the same text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.findings import BY_DESCRIPTION, BY_TITLE
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.page import SEPARATORS, paragraphs, parse
from taskboard.workflows.seo_audit.text import from_file_name, shorten, shorten_title, whole_sentences, width

LONGEST_TITLE = 60
LONGEST_DESCRIPTION = 155


@dataclass(frozen=True)
class SiteWords:
    """What the site adds to a title: its name, and whether the heading alone would not be unique."""

    name: str = ""
    heading_shared: bool = False


def propose(
    page: SitePage, body: bytes, codes: Sequence[str], site: Callable[[], SiteWords]
) -> dict[str, str]:
    """New texts by field name, only for what is at fault and only where the machine has something to say."""
    new: dict[str, str] = {}
    if "title.duplicate" not in codes and set(codes) & set(BY_TITLE):
        new["title"] = title_for(page, site())
    if set(codes) & set(BY_DESCRIPTION):
        new["description"] = description_for(page, body)
    return {field: text for field, text in new.items() if text and text != getattr(page, field)}


def title_for(page: SitePage, site: SiteWords) -> str:
    """The main heading, told apart from others where needed, with the name of the site if there is room."""
    words = page.h1 or bare_title(page.title, site.name) or from_file_name(page.path)
    if site.heading_shared and page.h1:
        return with_mark(words, mark_of(page.path), site.name)
    return with_site_name(shorten_title(words, LONGEST_TITLE), site.name)


def description_for(page: SitePage, body: bytes) -> str:
    """The first sentences of the running text; a mere label is passed over."""
    try:
        first = list(islice(paragraphs(parse(body, page.charset)), 4))
    except Unreadable:
        return ""
    real = [text for text in first if width(text) >= LONGEST_DESCRIPTION // 2]
    return whole_sentences((real or first or [""])[0], LONGEST_DESCRIPTION)


def bare_title(title: str, site_name: str) -> str:
    """The title without the name of the site behind it."""
    for separator in SEPARATORS:
        if site_name and title.endswith(separator + site_name):
            return title.removesuffix(separator + site_name)
    return title


def with_site_name(title: str, site_name: str) -> str:
    """The name of the site behind a title, unless that gets too long or it is there already."""
    longer = f"{title} – {site_name}"
    return longer if site_name and site_name not in title and width(longer) <= LONGEST_TITLE else title


def with_mark(words: str, mark: str, site_name: str = "") -> str:
    """`Care` -> `Care (Help)`, shortened where needed so that the mark stays whole."""
    mark = shorten(mark, LONGEST_TITLE // 2)
    return with_site_name(f"{shorten_title(words, LONGEST_TITLE - width(mark) - 3)} ({mark})", site_name)


def mark_of(path: str) -> str:
    """What tells a page apart from one with the same heading: its folder, or its file."""
    folder = path.rpartition("/")[0]
    return from_file_name(folder) if folder and not path.endswith("/index.html") else from_file_name(path)
