"""A source becomes items and rows of the site index."""

import tracemalloc
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from taskboard.errors import BadInput
from taskboard.workflows.seo_audit import index
from taskboard.workflows.seo_audit.diagnosis import diagnose, examine
from taskboard.workflows.seo_audit.models import SiteLink, SitePage
from taskboard.workflows.seo_audit.reading import read_items
from tests.factories import make_task
from tests.seo_audit.steps import PARAMS, Ctx, Reader, html, indexed, make_folder, page_of, store

pytestmark = pytest.mark.django_db


def test_pages_come_in_a_stable_order_and_other_files_do_not_count(tmp_path: Path) -> None:
    make_folder(tmp_path, {"b/x.htm": html(), "b/a.html": html(), "index.html": html(), "LICENSE.md": "# no"})
    make_folder(tmp_path, {".git/x.html": html(), "b/.draft.html": html()})
    task = indexed(tmp_path)
    paths = list(SitePage.objects.filter(task=task).order_by("pk").values_list("path", flat=True))
    assert paths == ["index.html", "b/a.html", "b/x.htm"]


def test_an_interrupted_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    make_folder(tmp_path, {f"{number}.html": html() for number in range(6)})
    task = make_task(params={**PARAMS, "source": str(tmp_path)})
    items = read_items(Reader(task, task.params))
    first = store(task, (next(items) for _ in range(4)))
    items.close()
    rest = store(task, read_items(Reader(task, task.params, after=first[-1].key, count=4)))
    assert [item.key for item in first + rest] == [f"{number}.html" for number in range(6)]


def test_names_that_look_the_same_stay_two_items(tmp_path: Path) -> None:
    make_folder(tmp_path, {"b\u00fccher.html": html(), "bu\u0308cher.html": html()})
    keys = list(SitePage.objects.filter(task=indexed(tmp_path)).values_list("path", flat=True))
    assert len(set(keys)) == 2
    assert "b\u00fccher.html" in keys


def test_a_long_path_is_cut_and_stays_unique(tmp_path: Path) -> None:
    folder = "/".join(["x" * 60] * 4)
    make_folder(tmp_path, {f"{folder}/a.html": html(), f"{folder}/b.html": html()})
    keys = list(SitePage.objects.filter(task=indexed(tmp_path)).values_list("path", flat=True))
    assert len(set(keys)) == 2
    assert max(map(len, keys)) <= 200


def test_links_lead_to_files_as_a_server_would_find_them(tmp_path: Path) -> None:
    links = (
        "b",
        "b.html#top",
        "sub/",
        "/sub/index.html?x=1",
        "gone.html",
        "https://other.example/",
        "mailto:a@b.c",
    )
    body = "".join(f'<a href="{link}">x</a>' for link in (*links, "a.html", "http://[bad"))
    make_folder(tmp_path, {"a.html": html(body=body), "b.html": html(), "sub/index.html": html()})
    task = indexed(tmp_path)
    rows = SiteLink.objects.filter(task=task, source="a.html").order_by("target")
    assert list(rows.values_list("target", "missing")) == [
        ("a.html", False), ("b.html", False), ("gone.html", True), ("sub/index.html", False),
    ]  # fmt: skip
    assert index.broken_links(page_of(task, "a.html")) == ["gone.html"]
    assert index.impact(task.pk, "b.html") == 1
    assert index.impact(task.pk, "a.html") == 0


def test_a_page_that_cannot_be_read_is_an_item_all_the_same(tmp_path: Path) -> None:
    task = indexed(make_folder(tmp_path, {"empty.html": "", "big.html": "x" * (2 * 1024 * 1024 + 1)}))
    texts = [examine(page_of(task, path))[0].text for path in ("empty.html", "big.html")]
    assert texts == [
        "This page cannot be read: it is empty.",
        "This page cannot be read: it is larger than 2048 KB.",
    ]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    make_folder(tmp_path, {"secret/a.html": html(), "site/index.html": html()})
    (tmp_path / "site/b.html").symlink_to(tmp_path / "secret/a.html")
    (tmp_path / "site/more").symlink_to(tmp_path / "secret")
    assert SitePage.objects.filter(task=indexed(tmp_path / "site")).count() == 1


def test_a_source_with_too_many_pages_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskboard.workflows.seo_audit.sources.MOST_PAGES", 2)
    make_folder(tmp_path, {f"{number}.html": html() for number in range(3)})
    with pytest.raises(BadInput, match="has 3 pages; at most 2"):
        indexed(tmp_path)


def test_many_pages_take_little_memory(tmp_path: Path) -> None:
    body = "<p>" + "words " * 20_000 + "</p>"
    make_folder(tmp_path, {f"{number}.html": html(body=body) for number in range(100)})
    task = make_task(params={**PARAMS, "source": str(tmp_path)})
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_items(Reader(task, task.params)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 100
    assert peak < 5_000_000


def test_pages_with_the_same_title_are_duplicates_unless_hidden(tmp_path: Path) -> None:
    hidden, elsewhere = '<meta name="robots" content="noindex">', '<link rel="canonical" href="/a.html">'
    pages = {"a.html": html(), "b.html": html(), "c.html": html(head=hidden), "d.html": html(head=elsewhere)}
    task = indexed(make_folder(tmp_path, pages))
    groups = index.duplicate_titles(task.pk)
    assert [(title, [page.path for page in pages]) for title, pages in groups] == [
        ("A fair title", ["a.html", "b.html"])
    ]
    assert index.twins(page_of(task, "a.html"), "title") == 1
    assert index.twins(page_of(task, "c.html"), "title") == 0


def test_a_diagnosis_says_what_later_steps_need(tmp_path: Path) -> None:
    task = indexed(make_folder(tmp_path, {"a.html": html(body="")}), price_per_page="0.020000")
    done = diagnose(Ctx(task, "a.html", "diagnose"))
    assert done.summary.startswith("Missing description; Missing main heading")
    assert (done.outputs["ticket"], done.outputs["impact"]) == (True, 0)
    assert done.outputs["findings"][0] == {"code": "description.missing", "text": "Missing description"}
    assert done.usage is not None
    assert str(done.usage.usd) == "0.020000"


def test_a_page_read_long_ago_is_read_again(tmp_path: Path) -> None:
    make_folder(tmp_path, {"a.html": html("Old title of it", body='<a href="gone.html">x</a>')})
    task = indexed(tmp_path)
    make_folder(tmp_path, {"a.html": html("New title of it")})
    assert diagnose(Ctx(task, "a.html")).outputs["title"] == "Old title of it"
    SitePage.objects.update(read_at=timezone.now() - timedelta(hours=5))
    assert diagnose(Ctx(task, "a.html")).outputs["title"] == "New title of it"
    assert not SiteLink.objects.filter(task=task).exists()
