"""What one page says about itself, read from its HTML; no database, no network."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from selectolax.lexbor import LexborHTMLParser, LexborNode

from taskboard.workflows.seo_audit.encoding import decode
from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.text import clean, width

BESIDE_THE_POINT = ("nav", "header", "footer", "aside", "form", "figure", "blockquote", "template", "table")
MAIL_ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.IGNORECASE)
SEPARATORS = (" | ", " – ", " — ", " · ", " - ")


@dataclass(frozen=True)
class PageFacts:
    """The facts that the audit judges. `None` means the tag is not there, an empty text that it is empty."""

    title: str | None
    description: str | None
    h1: str
    h1_count: int
    lang: str
    canonical: str
    robots: str
    viewport: bool
    images: int
    images_without_alt: int
    site_name: str
    owner: str
    base: str
    links: tuple[str, ...]

    @property
    def noindex(self) -> bool:
        """The page asks search engines to leave it out."""
        return bool({"noindex", "none"} & {word.strip() for word in self.robots.lower().split(",")})


def read_facts(body: bytes, charset: str = "") -> PageFacts:
    """The facts of a page; raises Unreadable with the reason if this is no HTML page."""
    tree = parse(body, charset)
    metas = _metas(tree)
    headings = [clean(node.text()) for node in tree.css("h1")]
    images = tree.css("img")
    title = _title(tree)
    return PageFacts(
        title=title,
        description=metas.get("description"),
        h1=headings[0] if headings else "",
        h1_count=len(headings),
        lang=clean((tree.root.attributes.get("lang") or "") if tree.root else ""),
        canonical=_canonical(tree),
        robots=metas.get("robots", ""),
        viewport="viewport" in metas,
        images=len(images),
        images_without_alt=sum("alt" not in node.attributes for node in images),
        site_name=metas.get("og:site_name") or site_name_in(title or ""),
        owner=_address(metas.get("author", "")),
        base=next((href for href in _hrefs(tree, "base[href]")), ""),
        links=tuple(dict.fromkeys(_hrefs(tree, "a[href], area[href]"))),
    )


def parse(body: bytes, charset: str = "") -> LexborHTMLParser:
    """The tree of a page; raises Unreadable for what is no HTML."""
    if not body.strip():
        raise Unreadable(_("it is empty"))
    text = decode(body, charset)
    other = text.lstrip().startswith(("%PDF-", "<?xml")) and "<html" not in text
    if other or "<" not in text or "\0" in text[:1024]:
        raise Unreadable(_("it is not HTML"))
    return LexborHTMLParser(text)


def paragraphs(tree: LexborHTMLParser) -> Iterator[str]:
    """The running text of a page: paragraphs of some length outside of navigation and the like."""
    body = tree.css_first("main") or tree.css_first("article") or tree.body
    for node in body.css("p") if body else ():
        text = clean(node.text())
        if width(text) >= 40 and not _within(node, BESIDE_THE_POINT):
            yield text


def site_name_in(title: str) -> str:
    """`Mugs | Harbour Lane` -> `Harbour Lane`."""
    for separator in SEPARATORS:
        before, found, after = title.rpartition(separator)
        if found and before.strip():
            return after.strip()
    return ""


def _title(tree: LexborHTMLParser) -> str | None:
    for node in tree.css("title"):
        if not _within(node, ("svg",)):
            return clean(node.text())
    return None


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    """The first meta tag of each name counts."""
    found: dict[str, str] = {}
    for node in tree.css("meta"):
        name = (node.attributes.get("name") or node.attributes.get("property") or "").strip().lower()
        found.setdefault(name, clean(node.attributes.get("content") or ""))
    return found


def _canonical(tree: LexborHTMLParser) -> str:
    for node in tree.css("link[rel][href]"):
        if "canonical" in (node.attributes.get("rel") or "").lower().split():
            return clean(node.attributes.get("href") or "")
    return ""


def _hrefs(tree: LexborHTMLParser, selector: str) -> Iterator[str]:
    for node in tree.css(selector):
        href = clean(node.attributes.get("href") or "")
        if href:
            yield href


def _address(text: str) -> str:
    # Not Django's validator: its error refers to itself and so keeps the whole tree in memory for a while.
    return text if MAIL_ADDRESS.fullmatch(text) and len(text) <= 254 else ""


def _within(node: LexborNode, tags: tuple[str, ...]) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.parent
    return False
