"""Unique titles for groups of pages that share one. No database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.proposal import LONGEST_TITLE, bare_title, with_mark, with_site_name
from taskboard.workflows.seo_audit.text import from_file_name, shorten_title

Group = tuple[str, Sequence[SitePage]]


def unique_titles(groups: Iterable[Group], others: Iterable[str], site_name: str) -> dict[str, str]:
    """A new title for each page of the groups: unlike each other, and unlike all `others`."""
    taken = set(others)
    new: dict[str, str] = {}
    for title, pages in groups:
        for page in pages:
            new[page.path] = next(
                text
                for text in _candidates(title, page, pages, site_name)
                if text not in taken and text != title
            )
            taken.add(new[page.path])
    return new


def titles_by_path(groups: Iterable[Group]) -> Mapping[str, str]:
    """The present title of each page of the groups."""
    return {page.path: title for title, pages in groups for page in pages}


def _candidates(title: str, page: SitePage, pages: Sequence[SitePage], site_name: str) -> Iterator[str]:
    """From the best to one that always works: the heading, the folder, the file, both, a number."""
    words = bare_title(title, site_name)
    if page.h1 and sum(other.h1 == page.h1 for other in pages) == 1:
        yield with_site_name(shorten_title(page.h1, LONGEST_TITLE), site_name)
    folders = [_folder(other.path) for other in pages]
    if _folder(page.path) and folders.count(_folder(page.path)) == 1:
        yield with_mark(words, from_file_name(_folder(page.path)), site_name)
    yield with_mark(words, from_file_name(page.path), site_name)
    yield with_mark(words, page.path.rsplit(".", 1)[0], site_name)
    number = 1
    while True:
        yield with_mark(words, str(number), site_name)
        number += 1


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
