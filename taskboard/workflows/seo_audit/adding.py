"""Pages that people add to an audit by path or address; they are read when they are diagnosed."""

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from urllib.parse import quote, urljoin

from django.utils.translation import gettext as _

from taskboard.context import Reading
from taskboard.errors import BadInput, UnfitItems
from taskboard.outcomes import NewItem
from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.fetch import Fetcher
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.names import page_key
from taskboard.workflows.seo_audit.reading import free_path
from taskboard.workflows.seo_audit.sources import Source, open_source
from taskboard.workflows.seo_audit.web import WebSource

NEVER = datetime(2000, 1, 1, tzinfo=UTC)
"""When a page was read that was not read yet: so long ago that the diagnosis reads it."""


def named(reading: Reading, keys: Sequence[str]) -> Iterator[NewItem]:
    """The pages of these names; one that the index knows has the key that it has there.
    Raises UnfitItems for all that are no pages of this site."""
    known = dict(SitePage.objects.filter(task_id=reading.task_pk).values_list("url", "path"))
    taken, unfit = set(known.values()), dict[str, str]()
    source = _source(str(reading.params.get("source", "")), list(known))
    try:
        for key in keys:
            try:
                url = _address(source, key, list(known)) if source.remote else _file(source, key)
            except BadInput as error:
                unfit[key] = error.message
                continue
            path = known.get(url) or free_path(page_key(source.path(url)), url, taken)
            taken.add(path)
            yield NewItem(path, label=path, params={"path": path, "url": url}, rows=[unread(path, url)])
        if unfit:
            raise UnfitItems(unfit)
    finally:
        source.close()


def unread(path: str, url: str) -> SitePage:
    """The row of a page that nobody has read yet."""
    return SitePage(path=path, url=url, read_at=NEVER)


def address_of(key: str) -> str:
    """Where a page of a folder is, by its key."""
    return quote(os.fsencode(key))


def _source(source: str, known: Sequence[str]) -> Source:
    """For the web the index says which site it is; nothing is fetched for it again."""
    if known and "://" in known[0]:
        return WebSource(list(known), Fetcher())
    return open_source(source)


def _file(source: Source, key: str) -> str:
    url = address_of(key.strip().lstrip("/"))
    try:
        source.read(url)
    except (Unreadable, OSError, ValueError) as error:
        text = _("%(page)s cannot be added: %(reason)s. Give its path in the folder of the site.")
        raise BadInput(text % {"page": key, "reason": error}) from error
    return url


def _address(source: Source, key: str, known: Sequence[str]) -> str:
    first = (known or source.urls())[0]
    address = urljoin(first, key.strip()) if key.startswith("/") else key.strip()
    if "://" not in address or source.target("", address, "") is None:
        text = _("%(page)s is no page of this site. Give its address, such as %(first)s.")
        raise BadInput(text % {"page": key, "first": first})
    return address.partition("#")[0]
