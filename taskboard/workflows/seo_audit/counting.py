"""How many pages a source has, found out in a bounded time before a task is started."""

import time
from itertools import islice
from pathlib import Path

from django.utils.translation import ngettext

from taskboard.errors import BadInput
from taskboard.outcomes import Counted
from taskboard.workflows.seo_audit.fetch import Answer, Fetcher
from taskboard.workflows.seo_audit.folder import FolderSource
from taskboard.workflows.seo_audit.sources import MOST_PAGES, check_count, open_source

SECONDS = 8.0
"""A person waits for the answer."""
NO_PAGES = b"<?xml version='1.0'?><urlset/>"


class HurriedFetcher(Fetcher):
    """Fetches for so many seconds in all; what comes later counts as an empty sitemap."""

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__()
        self._until = time.monotonic() + seconds
        self.cut_short = False

    def get(self, url: str, largest: int, within: float = SECONDS) -> Answer:
        left = self._until - time.monotonic()
        if left > 0:
            return super().get(url, largest, left)
        self.cut_short = True
        return Answer(NO_PAGES, url, "application/xml", "")


def count(source: str) -> Counted:
    """The pages of that source; raises BadInput at the field if it cannot be used."""
    fetcher = HurriedFetcher()
    try:
        opened = open_source(source, fetcher)
        if isinstance(opened, FolderSource):
            return _in_folder(opened)
        found = len(opened.urls())
        check_count(found)
        return Counted(found, _how(source, found), at_least=fetcher.cut_short)
    except BadInput as error:
        raise BadInput(error.message, "params.source") from error
    finally:
        fetcher.close()


def _in_folder(source: FolderSource) -> Counted:
    """The files by their names; none is read."""
    until, found = time.monotonic() + SECONDS, 0
    for found, _file in enumerate(islice(source.files(), MOST_PAGES + 1), 1):  # noqa: B007 the last one counts
        if time.monotonic() > until:
            break
    check_count(found)
    text = ngettext("%(count)d HTML file in the folder.", "%(count)d HTML files in the folder.", found)
    return Counted(found, text % {"count": found}, at_least=time.monotonic() > until)


def _how(source: str, found: int) -> str:
    lines = source.splitlines()
    if len(lines) > 1:
        text = ngettext("%(count)d address in the list.", "%(count)d addresses in the list.", found)
        return text % {"count": found}
    name = lines[0] if "://" in lines[0] else Path(lines[0]).name
    text = ngettext("%(count)d page named by %(name)s.", "%(count)d pages named by %(name)s.", found)
    return text % {"count": found, "name": name[:120]}
