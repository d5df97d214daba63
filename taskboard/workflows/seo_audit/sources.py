"""Where the pages come from: the bundled sample, a folder, a sitemap, or a list of addresses."""

from pathlib import Path
from typing import Protocol

from django.utils.translation import gettext as _

from taskboard.errors import BadInput
from taskboard.workflows.seo_audit import sitemap
from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.fetch import LARGEST_LIST, Fetcher
from taskboard.workflows.seo_audit.folder import FolderSource
from taskboard.workflows.seo_audit.raw import Raw, Target
from taskboard.workflows.seo_audit.web import WebSource

SAMPLE = "sample"
SAMPLE_SITE = Path(__file__).parent / "sample_site"
MOST_PAGES = 10_000


class Source(Protocol):
    """A site to audit."""

    remote: bool

    def urls(self) -> list[str]:
        """Where its pages are, in a stable order."""

    def path(self, url: str) -> str:
        """The path of a page inside the site."""

    def read(self, url: str) -> Raw:
        """The page itself; raises Unreadable."""

    def target(self, url: str, href: str, own_host: str) -> Target | None:
        """Where a link on that page leads to; None if out of the site."""

    def close(self) -> None:
        """Give connections back."""


def open_source(source: str, fetcher: Fetcher | None = None) -> Source:
    """The source with that name; raises BadInput if it cannot be used (any more)."""
    if not source.strip():  # as a path that would be the folder of the server
        raise BadInput(_("The task names no source, so there is nothing to read. Start one that names it."))
    if source == SAMPLE:
        return FolderSource(SAMPLE_SITE)
    if is_address(source):
        return _from_web(sitemap.lines_of(source), fetcher or Fetcher())
    path = Path(source)
    return FolderSource(path) if path.is_dir() else _from_file(path, fetcher or Fetcher())


def is_address(source: str) -> bool:
    """Whether this is meant as an address rather than as a path."""
    return "://" in source.lstrip().split("\n", 1)[0]


def check_count(count: int) -> None:
    """Raises BadInput for a source with no pages or with too many."""
    if not count:
        raise BadInput(_("The source names no page: it must list addresses (http:// or https://)."))
    if count > MOST_PAGES:
        text = _(
            "The source has %(count)d pages; at most %(most)d can be audited at once. Give a part of it."
        )
        raise BadInput(text % {"count": count, "most": MOST_PAGES})


def _from_web(lines: list[str], fetcher: Fetcher) -> Source:
    """Several addresses are pages; one alone may also be a sitemap or a list."""
    if len(lines) > 1:
        return _web_source(lines, fetcher)
    try:
        answer = fetcher.get(lines[0], LARGEST_LIST)
        body = sitemap.unpacked(answer.body)
        is_page = answer.media_type.endswith("html") or b"<html" in body[:2048]
        if not is_page and (sitemap.is_xml(body) or answer.media_type == "text/plain"):
            return _web_source(_listed(body, fetcher), fetcher)
    except Unreadable as error:
        fetcher.close()
        raise _cannot_be_read(lines[0], error) from error
    return WebSource(lines, fetcher)


def _from_file(path: Path, fetcher: Fetcher) -> Source:
    try:
        return _web_source(_listed(sitemap.unpacked(_bytes_of(path)), fetcher), fetcher)
    except Unreadable as error:
        fetcher.close()
        raise _cannot_be_read(str(path), error) from error


def _web_source(addresses: list[str], fetcher: Fetcher) -> WebSource:
    check_count(len(addresses))
    return WebSource(addresses, fetcher)


def _listed(body: bytes, fetcher: Fetcher) -> list[str]:
    if sitemap.is_xml(body):
        return sitemap.addresses_in(body, lambda address: fetcher.get(address, LARGEST_LIST).body)
    return sitemap.lines_of(body.decode("utf-8", "replace"))


def _bytes_of(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_LIST:
            raise Unreadable(_("it is larger than %(limit)d KB") % {"limit": LARGEST_LIST // 1024})
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def _cannot_be_read(source: str, reason: Unreadable) -> BadInput:
    return BadInput(_("%(source)s cannot be read: %(reason)s.") % {"source": source, "reason": reason})
