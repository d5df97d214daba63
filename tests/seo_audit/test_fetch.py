"""Safe HTTP, and sources on the web."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from taskboard.addresses import is_public
from taskboard.workflows.seo_audit import index
from taskboard.workflows.seo_audit.addresses import allowed_addresses
from taskboard.workflows.seo_audit.diagnosis import diagnose
from taskboard.workflows.seo_audit.errors import PrivateAddress, Unreadable
from taskboard.workflows.seo_audit.fetch import Fetcher
from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.reading import read_items
from tests.factories import make_task
from tests.seo_audit.peer import Answer, serving
from tests.seo_audit.steps import PARAMS, Ctx, Reader, html, indexed, page_of, store

HTML = {"Content-Type": "text/html; charset=utf-8"}


def site(request: Any) -> Answer:
    """A small web site with a few traps."""
    host, path = request.headers["Host"], request.path
    pages: dict[str, Answer] = {
        "/": (200, HTML, html("Home page of it", '<a href="/shop/">s</a><a href="/gone">g</a>').encode()),
        "/shop/": (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(html("The shop of it").encode())),
        "/moved": (301, {"Location": "/shop/"}, b""),
        "/loop": (302, {"Location": "/loop"}, b""),
        "/inside": (302, {"Location": "http://169.254.169.254/latest"}, b""),
        "/file": (302, {"Location": "file:///etc/passwd"}, b""),
        "/doc.pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF"),
        "/bomb": (200, {**HTML, "Content-Encoding": "gzip"}, gzip.compress(b"\0" * 20_000_000)),
        "/broken": (200, {**HTML, "Content-Encoding": "gzip"}, b"not gzip"),
        "/list.txt": (
            200,
            {"Content-Type": "text/plain"},
            f"# all\nhttp://{host}/\n\nhttp://{host}/gone\n".encode(),
        ),
        "/map.xml": (200, {"Content-Type": "text/xml"}, sitemap("urlset", "url", f"http://{host}/shop/")),
        "/maps.xml": (
            200,
            {"Content-Type": "text/xml"},
            sitemap("sitemapindex", "sitemap", f"http://{host}/map.xml.gz"),
        ),
        "/map.xml.gz": (200, {}, gzip.compress(sitemap("urlset", "url", f"http://{host}/"))),
        "/evil.xml": (
            200,
            {},
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>',
        ),
    }
    return pages.get(path, (404, HTML, b"no"))


def sitemap(outer: str, inner: str, address: str) -> bytes:
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    text = (
        f'<?xml version="1.0"?><{outer} xmlns="{space}"><{inner}><loc> {address} </loc></{inner}></{outer}>'
    )
    return text.encode()


@pytest.fixture
def url(settings: Any) -> Any:
    settings.TASKBOARD_ALLOW_PRIVATE_SOURCES = True
    with serving(site) as address:
        yield address


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "0.0.0.1", "::1", "fe80::1%eth0", "fc00::1",
     "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1", "100.64.0.1"],
)  # fmt: skip
def test_private_addresses_are_told_from_public_ones(address: str) -> None:
    assert not is_public(address)


def test_public_addresses_may_be_read() -> None:
    assert is_public("93.184.215.14")
    assert is_public("2606:4700::1111")


def test_a_name_that_leads_inside_is_refused() -> None:
    with pytest.raises(PrivateAddress, match="localhost leads to the private address"):
        allowed_addresses("localhost", 80)


def test_each_hop_of_a_redirect_is_checked(url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def only_first(host: str, port: int) -> list[str]:
        settings.TASKBOARD_ALLOW_PRIVATE_SOURCES = host == "127.0.0.1"
        return allowed_addresses(host, port)

    monkeypatch.setattr("taskboard.workflows.seo_audit.fetch.allowed_addresses", only_first)
    with pytest.raises(PrivateAddress, match=r"169\.254\.169\.254"):
        Fetcher().page(f"{url}/inside")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/gone", "the server answered 404"),
        ("/loop", "it redirects more than 5 times"),
        ("/file", "only addresses that begin with http"),
        ("/doc.pdf", "it is application/pdf, not HTML"),
        ("/bomb", "it is larger than 2048 KB"),
        ("/broken", "it is packed in a way"),
    ],
)
def test_it_says_why_a_page_cannot_be_fetched(url: str, path: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        Fetcher().page(url + path)


def test_a_refused_connection_is_a_reason_too(settings: Any) -> None:
    settings.TASKBOARD_ALLOW_PRIVATE_SOURCES = True
    with pytest.raises(Unreadable, match="the server refuses the connection"):
        Fetcher().page("http://127.0.0.1:1/")


def test_packed_and_moved_pages_are_read(url: str) -> None:
    answer = Fetcher().page(f"{url}/moved")
    assert b"The shop of it" in answer.body
    assert (answer.url, answer.charset) == (f"{url}/shop/", "utf-8")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("/list.txt", ["index.html", "gone/index.html"]),
        ("/map.xml", ["shop/index.html"]),
        ("/maps.xml", ["index.html"]),
        ("/shop/", ["shop/index.html"]),
    ],
)
def test_lists_sitemaps_and_pages_are_sources(url: str, path: str, keys: list[str]) -> None:
    task = indexed(url + path)
    assert list(SitePage.objects.filter(task=task).order_by("pk").values_list("path", flat=True)) == keys


@pytest.mark.django_db
def test_a_sitemap_in_a_file_is_a_source(url: str, tmp_path: Path) -> None:
    (tmp_path / "map.xml").write_bytes(sitemap("urlset", "url", f"{url}/shop/"))
    assert page_of(indexed(tmp_path / "map.xml"), "shop/index.html").title == "The shop of it"


@pytest.mark.django_db
def test_a_sitemap_with_entities_is_not_read(url: str) -> None:
    with pytest.raises(Exception, match="declares a document type"):
        indexed(f"{url}/evil.xml")


@pytest.mark.django_db
def test_a_link_to_a_page_that_is_gone_is_broken(url: str) -> None:
    task = indexed(f"{url}/\n{url}/shop/\n{url}/gone")
    assert index.broken_links(page_of(task, "index.html")) == ["gone/index.html"]
    assert index.impact(task.pk, "shop/index.html") == 1
    assert diagnose(Ctx(task, "gone/index.html")).summary == "Cannot be read"


@pytest.mark.django_db
def test_it_waits_between_two_fetches(url: str) -> None:
    task = make_task(params={**PARAMS, "source": f"{url}/\n{url}/shop/", "crawl_delay": "0.5"})
    reader = Reader(task, task.params)
    store(task, read_items(reader))
    assert [pause.total_seconds() for pause in reader.pauses] == [0.5, 0.5]
