"""A new title or description in the bytes of a page, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskboard.workflows.seo_audit.errors import CannotChange
from taskboard.workflows.seo_audit.page import read_facts
from taskboard.workflows.seo_audit.splice import changed, unified_diff
from taskboard.workflows.seo_audit.text import clean
from tests.seo_audit.steps import html

NEW = {"title": "Cups & <mugs>", "description": 'Says "hello" to 陶艺'}


@pytest.mark.parametrize(
    "body",
    [
        html().encode(),
        html(None).encode(),
        html(head="  <meta content='a > b' name=description class=\"x\">\n").encode(),
        html(head='  <meta name="description">\n').encode(),
        html().replace("\n", "\r\n").encode(),
        html().encode("utf-8-sig"),
        html(head='<meta charset="iso-8859-1">', body="<h1>Caf\xe9 \x81</h1>").encode("latin-1"),
        html(head='<meta charset="gb2312">', body="<h1>陶艺</h1>").encode("gbk"),
        b"<p>A fragment without a head.</p>",
        b"<!-- <title>not this</title> --><title>this</title><p>x",
        b"<html><body><p>no head</p>",
        b"<!DOCTYPE html><head><style>/* <title>no</title> */</style></head><body>x",
        html().encode("utf-16"),
    ],
)
def test_it_changes_the_texts_and_nothing_else(body: bytes) -> None:
    after = changed(body, "", NEW)
    facts, before = read_facts(after), read_facts(body)
    assert (facts.title, facts.description) == (NEW["title"], NEW["description"])
    assert (facts.h1, facts.links) == (before.h1, before.links)
    assert changed(after, "", NEW) == after


def test_line_ends_stay_as_they_are() -> None:
    after = changed(html().replace("\n", "\r\n").encode(), "", NEW)
    assert after.count(b"\n") == after.count(b"\r\n") == html().count("\n") + 1


def test_other_attributes_of_the_tag_stay() -> None:
    body = html(head='<meta class="x" name="description" content="old" data-y=1>').encode()
    assert b'<meta class="x" name="description" content="new" data-y=1>' in changed(
        body, "", {"description": "new"}
    )


def test_nothing_new_changes_nothing() -> None:
    assert changed(html().encode(), "", {}) == html().encode()


def test_it_refuses_a_page_that_it_cannot_read() -> None:
    with pytest.raises(CannotChange, match="it is empty"):
        changed(b"", "", NEW)


@given(
    st.text(min_size=1).map(str.split).map(" ".join).filter(bool), st.sampled_from(["utf-8", "iso-8859-1"])
)
def test_any_text_reads_back_or_is_refused(text: str, charset: str) -> None:
    body = html(head=f'<meta charset="{charset}">').encode()
    try:
        after = changed(body, "", {"title": text, "description": text})
    except CannotChange:
        return
    assert read_facts(after).title == clean(text)


def test_the_difference_is_a_patch() -> None:
    body = html().encode()
    lines = unified_diff("a.html", body, changed(body, "", {"title": "New title"}), "").splitlines()
    assert lines[:2] == ["--- a/a.html", "+++ b/a.html"]
    assert [line for line in lines[2:] if line[0] in "+-"] == [
        "-  <title>A fair title</title>",
        "+  <title>New title</title>",
    ]
