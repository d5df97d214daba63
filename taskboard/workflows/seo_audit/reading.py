"""From a source to the rows of the site index, one page in memory at a time."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import unquote, urljoin, urlsplit

from django.utils import timezone

from taskboard.context import Reading
from taskboard.outcomes import NewItem
from taskboard.workflows.seo_audit import files
from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.models import SiteLink, SitePage
from taskboard.workflows.seo_audit.names import LONGEST_KEY, cut_with_hash, page_key
from taskboard.workflows.seo_audit.page import PageFacts, read_facts
from taskboard.workflows.seo_audit.sources import Source, check_count, open_source

LONGEST_TEXT = 400


def read_items(reading: Reading) -> Iterator[NewItem]:
    """The pages that are not stored yet, in the order of the source."""
    source = open_source(str(reading.params.get("source", "")))
    try:
        yield from _new_items(source, reading)
    finally:
        source.close()


def read_page(source: Source, task_id: str, path: str, url: str) -> tuple[SitePage, list[SiteLink]]:
    """The rows of one page; one that cannot be read has the reason in its row."""
    page = SitePage(path=path, url=url, read_at=timezone.now())
    try:
        raw = source.read(url)
        page.charset = raw.charset[:40]
        page.sha256 = hashlib.sha256(raw.body).hexdigest()
        facts = read_facts(raw.body, raw.charset)
        if source.remote:
            files.keep_original(task_id, path, raw.body)
    except (Unreadable, OSError) as error:
        page.error, page.gone = str(error)[:300], getattr(error, "gone", False)
        return page, []
    _fill(page, facts)
    return page, _links(source, page, facts)


def _new_items(source: Source, reading: Reading) -> Iterator[NewItem]:
    urls = source.urls()
    check_count(len(urls))
    delay = timedelta(seconds=float(reading.params["crawl_delay"]))
    # What is stored is asked of the index, not of `reading.after`: the source may have changed in between.
    stored = dict(SitePage.objects.filter(task_id=reading.task_pk).values_list("url", "path"))
    taken = set(stored.values())
    for url in urls:
        if url in stored:
            continue
        path = free_path(page_key(source.path(url)), url, taken)
        taken.add(path)
        page, links = read_page(source, reading.task_id, path, url)
        yield NewItem(
            key=path, label=(page.title or path)[:300], params={"path": path, "url": url}, rows=[page, *links]
        )
        if source.remote and delay:
            reading.pause(delay)


def free_path(path: str, url: str, taken: set[str]) -> str:
    """A path as a key. Two addresses may spell the same path; the second one gets a mark of its own."""
    mark = hashlib.sha256(url.encode()).hexdigest()[:8]
    return f"{path[: LONGEST_KEY - 9]}~{mark}" if path in taken else path


def _fill(page: SitePage, facts: PageFacts) -> None:
    page.has_title, page.title = facts.title is not None, (facts.title or "")[:LONGEST_TEXT]
    page.has_description = facts.description is not None
    page.description = (facts.description or "")[:LONGEST_TEXT]
    page.h1, page.h1_count = facts.h1[:LONGEST_TEXT], facts.h1_count
    page.lang, page.robots, page.noindex = facts.lang[:35], facts.robots[:200], facts.noindex
    page.canonical = facts.canonical[:LONGEST_TEXT]
    page.canonical_elsewhere = bool(facts.canonical) and _elsewhere(page.url, facts.canonical)
    page.viewport, page.site_name, page.owner = facts.viewport, facts.site_name[:120], facts.owner
    page.images, page.images_without_alt = facts.images, facts.images_without_alt


def _elsewhere(url: str, canonical: str) -> bool:
    """Whether the canonical address is another page; of a folder the host is not known: only paths count."""
    try:
        wanted, own = urlsplit(urljoin(url, canonical)), urlsplit(url)
    except ValueError:
        return True
    if own.netloc and wanted.netloc.lower() != own.netloc.lower():
        return True
    return (_bare(wanted.path), wanted.query) != (_bare(own.path), own.query)


def _bare(path: str) -> str:
    """`/shop/index.html`, `/shop/` and `/shop` are one address."""
    name = unquote(path).strip("/")
    for ending in ("index.html", "index.htm", ".html", ".htm"):
        if name.endswith(ending):
            return name.removesuffix(ending).strip("/")
    return name


def _links(source: Source, page: SitePage, facts: PageFacts) -> list[SiteLink]:
    own_host = _host(facts.canonical)
    found: dict[str, SiteLink] = {}
    for href in facts.links:
        target = source.target(page.url, _joined(facts.base, href), own_host)
        if target is not None:
            path = cut_with_hash(target.path, LONGEST_KEY)
            found.setdefault(path, SiteLink(source=page.path, target=path, missing=target.missing))
    return list(found.values())


def _joined(base: str, href: str) -> str:
    try:
        return urljoin(base, href) if base else href
    except ValueError:
        return href


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""
