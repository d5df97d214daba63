"""The addresses in a sitemap, read without ever expanding an entity; or in a plain list."""

from collections.abc import Callable
from xml.parsers import expat

from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.fetch import LARGEST_LIST, inflate

GZIP = b"\x1f\x8b"


class _Sitemap:
    """Collects the <loc> of pages and of further sitemaps."""

    def __init__(self) -> None:
        self.pages: list[str] = []
        self.maps: list[str] = []
        self._open: list[str] = []
        self._text = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name.rpartition(" ")[2].lower())
        self._text = ""

    def data(self, text: str) -> None:
        self._text += text

    def end(self, name: str) -> None:
        match self._open[-2:]:
            case ["url", "loc"]:
                self.pages.append(self._text.strip())
            case ["sitemap", "loc"]:
                self.maps.append(self._text.strip())
        self._open.pop()


def unpacked(body: bytes) -> bytes:
    """A packed sitemap (.xml.gz) unpacked, with a limit."""
    return inflate([body], LARGEST_LIST, packed=True) if body.startswith(GZIP) else body


def is_xml(body: bytes) -> bool:
    """Whether this is a sitemap rather than a list of addresses."""
    return body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"<?xml", b"<urlset", b"<sitemapindex"))


def addresses_in(body: bytes, get: Callable[[str], bytes]) -> list[str]:
    """All page addresses of a sitemap; an index of sitemaps is followed one level deep through `get`."""
    found = _parse(body)
    pages = list(found.pages)
    for address in found.maps:
        pages += _parse(unpacked(get(address))).pages
    return pages


def lines_of(text: str) -> list[str]:
    """One address per line; empty lines and those that begin with # do not count."""
    lines = (line.strip() for line in text.removeprefix("\ufeff").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _parse(body: bytes) -> _Sitemap:
    found = _Sitemap()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = found.start
    parser.CharacterDataHandler = found.data
    parser.EndElementHandler = found.end
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        raise Unreadable(_("the sitemap is not well-formed: %(error)s") % {"error": error}) from error
    return found


def _refuse(*declaration: object) -> None:
    raise Unreadable(_("the sitemap declares a document type, which no sitemap needs; it is not read"))
