"""Questions to the site index of a task."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from taskboard.workflows.seo_audit.models import SiteLink, SitePage


def page(task_pk: int, path: str) -> SitePage:
    """The row of one page."""
    return SitePage.objects.get(task_id=task_pk, path=path)


def first_url(task_pk: int) -> str:
    """Where the first page was read."""
    return SitePage.objects.filter(task_id=task_pk).order_by("pk").values_list("url", flat=True)[0]


def replace(old: SitePage, new: SitePage, links: list[SiteLink]) -> None:
    """The page was read again: its row and its links are made anew."""
    new.pk, new.task_id = old.pk, old.task_id
    for link in links:
        link.task_id = old.task_id
    with transaction.atomic():
        new.save()
        SiteLink.objects.filter(task_id=old.task_id, source=old.path).delete()
        SiteLink.objects.bulk_create(links)


def listed(task_pk: int) -> QuerySet[SitePage]:
    """The pages that search engines are meant to show: only these can be duplicates of each other."""
    return SitePage.objects.filter(task_id=task_pk, error="", noindex=False, canonical_elsewhere=False)


def impact(task_pk: int, path: str) -> int:
    """How many other pages link to this one."""
    return SiteLink.objects.filter(task_id=task_pk, target=path).exclude(source=path).count()


def twins(row: SitePage, field: str) -> int:
    """How many other pages have the same title (or description)."""
    text = getattr(row, field)
    if not text or not row.listed:
        return 0
    return listed(row.task_id).filter(**{field: text}).exclude(path=row.path).count()


def broken_links(row: SitePage) -> list[str]:
    """Targets of links on this page that are not there: no such file, or a server that knows no such page."""
    gone = SitePage.objects.filter(task_id=row.task_id, path=OuterRef("target"), gone=True)
    links = SiteLink.objects.filter(task_id=row.task_id, source=row.path).exclude(target=row.path)
    return list(
        links.filter(Q(missing=True) | Exists(gone)).order_by("target").values_list("target", flat=True)
    )


def site_name(task_pk: int) -> str:
    """What the pages call their site: the name that most of them give, if a good part of them does."""
    pages = SitePage.objects.filter(task_id=task_pk)
    names = pages.exclude(site_name="").values("site_name").annotate(count=Count("id"))
    most = names.order_by("-count", "site_name").first()
    return most["site_name"] if most and most["count"] > max(1, pages.count() // 5) else ""


def shares_heading(row: SitePage) -> bool:
    """Whether another page has the same first heading."""
    return bool(row.h1) and listed(row.task_id).filter(h1=row.h1).exclude(path=row.path).exists()


def is_title(task_pk: int, text: str) -> bool:
    """Whether some page already has this title."""
    return SitePage.objects.filter(task_id=task_pk, title=text).exists()


def duplicate_titles(task_pk: int) -> list[tuple[str, list[SitePage]]]:
    """The groups of pages that share a title, each with its pages by path."""
    titles = (
        listed(task_pk).exclude(title="").values("title").annotate(count=Count("id")).filter(count__gt=1)
    ).values_list("title", flat=True).order_by("title")  # fmt: skip
    return [(title, list(listed(task_pk).filter(title=title).order_by("path"))) for title in titles]


def other_titles(task_pk: int, without: set[str]) -> Iterator[str]:
    """The titles of all pages but these."""
    rows = SitePage.objects.filter(task_id=task_pk).values_list("path", "title")
    return (title for path, title in rows.iterator() if path not in without)
