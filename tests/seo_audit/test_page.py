"""What is read from one page."""

import pytest

from taskboard.workflows.seo_audit.errors import Unreadable
from taskboard.workflows.seo_audit.page import paragraphs, parse, read_facts
from tests.seo_audit.steps import html


def test_it_reads_the_facts_of_a_page() -> None:
    page = html(
        "Mugs | Harbour",
        '<h1>Mugs</h1><img src="a.svg"><img src="b.svg" alt=""><a href="b.html">b</a><a href="b.html">c</a>',
        '<meta name="Description" content=" All  our mugs "><meta name="author" content="maren@example.org">'
        '<link rel="canonical" href="/mugs.html"><meta name="viewport" content="width=device-width">',
    )
    facts = read_facts(page.encode())
    assert (facts.title, facts.description, facts.h1, facts.h1_count) == (
        "Mugs | Harbour",
        "All our mugs",
        "Mugs",
        1,
    )
    assert (facts.images, facts.images_without_alt, facts.links) == (2, 1, ("b.html",))
    assert (facts.lang, facts.canonical, facts.viewport) == ("en", "/mugs.html", True)
    assert (facts.owner, facts.site_name, facts.noindex) == ("maren@example.org", "Harbour", False)


def test_it_tells_a_missing_title_from_an_empty_one() -> None:
    assert read_facts(html(None).encode()).title is None
    assert read_facts(html("  ").encode()).title == ""


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    page = html(None, "<svg><title>A cup</title></svg>")
    assert read_facts(page.encode()).title is None


@pytest.mark.parametrize("robots", ["noindex", "NOINDEX, follow", "none"])
def test_it_sees_that_a_page_hides_from_search_engines(robots: str) -> None:
    assert read_facts(html(head=f'<meta name="robots" content="{robots}">').encode()).noindex


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (html("Café", head='<meta charset="iso-8859-1">').encode("latin-1"), "Café"),
        (html("Café").encode("utf-8-sig"), "Café"),
        (html("Café").encode("utf-16"), "Café"),
        (html("Café").encode("latin-1"), "Café"),
        (html("陶艺", head='<meta charset="gb2312">').encode("gbk"), "陶艺"),
    ],
)
def test_it_reads_each_encoding_as_declared(body: bytes, title: str) -> None:
    assert read_facts(body).title == title


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "it is empty"),
        (b"%PDF-1.7 <x>", "it is not HTML"),
        (b"just words", "it is not HTML"),
        (b"\x00\x01\x02<p>", "it is not HTML"),
        (b'<meta charset="utf-8"><title>Caf\xe9</title>', "it says it is written in utf-8, but byte 33"),
        (b'<meta charset="klingon"><p>', "it names an unknown character encoding: klingon"),
        (b'<meta charset="hex"><p>', "it names an unknown character encoding: hex"),
    ],
)
def test_it_says_why_a_page_cannot_be_read(body: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_facts(body)


def test_what_no_database_takes_is_replaced() -> None:
    assert read_facts(html("a&#0;b&#xD800;c").encode()).title == "a\ufffdb\ufffdc"


def test_running_text_is_found_outside_of_navigation() -> None:
    long = "This is a paragraph that is long enough to say something."
    page = html(body=f"<nav><p>{long} nav</p></nav><main><p>Short.</p><p>{long}</p></main>")
    assert list(paragraphs(parse(page.encode()))) == [long]
