"""Whether a source may be named, asked before a task is stored; every no says what to do about it."""

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from taskboard.errors import BadInput, UnfitItems
from taskboard.workflows.seo_audit import sitemap
from taskboard.workflows.seo_audit.addresses import allowed_addresses
from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.fetch import checked_url
from taskboard.workflows.seo_audit.folder import FolderSource
from taskboard.workflows.seo_audit.sources import SAMPLE, check_count, is_address

HOSTS_ASKED = 20


def check_source(source: str, *, browser: bool) -> str:
    """The source as it is kept (paths absolute); raises BadInput.

    With `browser`, only what a person at a browser may name: the sample, folders under TASKBOARD_SOURCES,
    public addresses. Ask with `browser` first, so that nobody can find out which other folders exist.
    """
    source = source.strip()
    if source.casefold() == SAMPLE:
        return SAMPLE
    if any(map(is_address, source.splitlines())):
        return _check_addresses(source, browser=browser)
    if "\0" in source:
        raise BadInput(_("Give one folder or file, or addresses (http:// or https://), one per line."))
    if len(lines := source.splitlines()) > 1:
        text = _("“%(line)s” is no address (http:// or https://).")
        raise UnfitItems(
            {line.strip(): text % {"line": line.strip()[:200]} for line in lines if line.strip()}
        )
    path = Path(source).expanduser().absolute()
    if browser:
        _check_allowed(source, path)
    return _check_path(path)


def _check_addresses(source: str, *, browser: bool) -> str:
    lines = sitemap.lines_of(source)
    check_count(len(lines))
    if unfit := _unfit(lines, browser=browser):
        raise UnfitItems(unfit)
    return "\n".join(_each_once(lines))


def _each_once(lines: list[str]) -> list[str]:
    """Without those that differ from an earlier one in nothing but the place within the page."""
    found: dict[str, str] = {}
    for line in lines:
        found.setdefault(str(checked_url(line)), line)
    return list(found.values())


def _unfit(lines: Sequence[str], *, browser: bool) -> dict[str, str]:
    """What is wrong with which lines. Whether hosts are public is a first look, for a clear answer at once; each
    fetch checks again."""
    unfit: dict[str, str] = {}
    hosts: dict[str, str] = {}
    text = _("%(line)s cannot be used: %(reason)s.")
    for line in lines:
        try:
            host = checked_url(line).host
            if browser and host not in hosts and len(hosts) < HOSTS_ASKED:
                hosts[host] = _why_not_public(host)
        except Unreadable as error:
            unfit[line] = text % {"line": line[:200], "reason": error}
            continue
        if why := hosts.get(host):
            unfit[line] = text % {"line": line[:200], "reason": why}
    return unfit


def _why_not_public(host: str) -> str:
    try:
        allowed_addresses(host, 443)
    except Unreadable as error:
        return str(error)
    return ""


def _check_allowed(source: str, path: Path) -> None:
    allowed = [Path(folder).resolve() for folder in settings.TASKBOARD_SOURCES]
    if not allowed:
        text = _(
            "“%(source)s” cannot be audited. Use addresses that begin with http:// or https://, or “sample”. No"
            " folder may be named in the browser here; an administrator can list some in TASKBOARD_SOURCES."
        )
        raise BadInput(text % {"source": source[:200]})
    if not any(path.resolve().is_relative_to(folder) for folder in allowed):
        text = _("Only folders under these may be named in the browser: %(places)s.")
        raise BadInput(text % {"places": ", ".join(map(str, allowed))})


def _check_path(path: Path) -> str:
    try:
        if path.is_dir():
            _check_folder(path)
        elif not path.is_file():
            text = _(
                "There is no folder or file %(path)s. Give the whole path, or an address that begins with"
                " http:// or https://, or “sample” for the bundled site."
            )
            raise BadInput(text % {"path": path})
    except OSError as error:
        text = _("%(path)s cannot be used: %(reason)s.")
        raise BadInput(text % {"path": path, "reason": error.strerror}) from error
    return str(path)


def _check_folder(path: Path) -> None:
    if not FolderSource(path).has_pages():
        text = _("There is no HTML page (.html, .htm, .xhtml) in the folder %(path)s.")
        raise BadInput(text % {"path": path})
