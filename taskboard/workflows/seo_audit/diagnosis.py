"""The step `diagnose`: look at one page in its site and say what is wrong."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from taskboard.context import Context
from taskboard.outcomes import Done, Usage
from taskboard.workflows.seo_audit import adding, findings, index, phrases, wishes
from taskboard.workflows.seo_audit.fetch import Fetcher
from taskboard.workflows.seo_audit.findings import Finding, Surroundings
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.pace import wait_turn
from taskboard.workflows.seo_audit.reading import read_page
from taskboard.workflows.seo_audit.sources import Source, open_source
from taskboard.workflows.seo_audit.web import WebSource

FRESH_FOR = timedelta(hours=4)
LONGEST_TITLE = 120


def diagnose(ctx: Context) -> Done:
    """The findings of a page, judged on what was read of it not long ago."""
    wait_turn(ctx.task_id, float(ctx.params["crawl_delay"]))
    page = _page(ctx)
    if _must_be_read_again(page, ctx):
        page = _read_again(page, ctx)
    found = examine(page)
    return Done(
        summary=summary(found),
        outputs={
            "findings": [{"code": one.code, "text": one.short} for one in found],
            "impact": index.impact(ctx.task_pk, page.path),
            "title": page.title[:LONGEST_TITLE],
            "ticket": findings.needs_ticket(found),
            **_asked_for(ctx),
        },
        usage=Usage(usd=Decimal(str(ctx.params["price_per_page"]))),
    )


def examine(page: SitePage) -> list[Finding]:
    """What is wrong with a page, by its row and the index around it."""
    around = Surroundings(
        title_twins=index.twins(page, "title"),
        description_twins=index.twins(page, "description"),
        broken_links=index.broken_links(page),
    )
    return findings.find(page, around)


def summary(found: Sequence[Finding]) -> str:
    """`Missing description; 2 images without alt`."""
    return "; ".join(one.short for one in found) or phrases.NO_FAULT()


def _asked_for(ctx: Context) -> dict[str, dict[str, str]]:
    """The texts that a person named who asked for another proposal; nothing where nobody did."""
    again = ctx.revision > 1 and ctx.instructions
    return {"asked_for": wishes.named(ctx.instructions, wishes.fields())} if again else {}


def _page(ctx: Context) -> SitePage:
    """Its row; an item that came with a document has none, and is read now."""
    url = str(ctx.item.params.get("url") or adding.address_of(ctx.item.key))
    new = {"url": url, "read_at": adding.NEVER}
    row, _new = SitePage.objects.get_or_create(task_id=ctx.task_pk, path=ctx.item.key, defaults=new)
    return row


def _must_be_read_again(page: SitePage, ctx: Context) -> bool:
    """Too old a reading, another go at the item, or a web page that could not be read the first time."""
    stale = page.read_at < timezone.now() - FRESH_FOR
    return stale or ctx.revision > 1 or bool(page.error and "://" in page.url)


def _read_again(page: SitePage, ctx: Context) -> SitePage:
    source = _source_of(page, ctx)
    try:
        new, links = read_page(source, ctx.task_id, page.path, page.url)
    finally:
        source.close()
    index.replace(page, new, links)
    return new


def _source_of(page: SitePage, ctx: Context) -> Source:
    """For a web page, without fetching a sitemap again: the first page of the index says which site it is."""
    if "://" not in page.url:
        return open_source(str(ctx.params.get("source", "")))
    return WebSource([index.first_url(ctx.task_pk), page.url], Fetcher())
