"""Better titles and descriptions from a page's own words."""

from typing import Any

import pytest

from taskboard.workflows.seo_audit.models import SitePage
from taskboard.workflows.seo_audit.proposal import SiteWords, propose
from taskboard.workflows.seo_audit.text import shorten, width
from taskboard.workflows.seo_audit.titles import unique_titles
from tests.seo_audit.steps import html

SENTENCE = (
    "Stoneware mugs with a flat on the handle for the thumb, thrown by four potters beside the harbour."
)


NO_WORDS = SiteWords()


def proposed(codes: list[str], body: str = "", words: SiteWords = NO_WORDS, **page: Any) -> dict[str, str]:
    return propose(SitePage(path="shop/mugs.html", **page), html(body=body).encode(), codes, lambda: words)


def test_a_title_is_made_from_the_heading_and_the_site() -> None:
    assert proposed(["title.missing"], h1="Mugs", words=SiteWords("Harbour Lane")) == {
        "title": "Mugs – Harbour Lane"
    }


def test_a_heading_that_others_share_gets_its_folder() -> None:
    assert proposed(["title.missing"], h1="Mugs", words=SiteWords("", True)) == {"title": "Mugs (Shop)"}


def test_a_page_without_words_is_named_after_its_file() -> None:
    assert proposed(["title.empty"]) == {"title": "Mugs"}


def test_a_duplicate_title_is_left_to_the_rewrite_of_its_group() -> None:
    assert proposed(["title.duplicate", "title.long"], h1="Mugs", title="m" * 70) == {}


def test_a_description_is_made_of_whole_sentences() -> None:
    body = f"<p>Too short.</p><p>{SENTENCE} And a second sentence that does not fit any more, not by far.</p>"
    assert proposed(["description.missing"], body) == {"description": SENTENCE}


def test_a_long_sentence_is_cut_at_a_word() -> None:
    text = proposed(["description.short"], f"<p>{'word ' * 60}</p>")["description"]
    assert text.endswith("word…")
    assert width(text) <= 155


def test_a_page_without_running_text_gets_no_description() -> None:
    assert proposed(["description.missing"], "<h1>Only a heading</h1>") == {}


def test_other_faults_are_not_mended_by_machine() -> None:
    assert proposed(["images.alt", "links.broken"], f"<p>{SENTENCE}</p>") == {}


@pytest.mark.parametrize("text", ["word " * 40, "成都陶艺工作室参观记" * 20, "x" * 300, "a: " + "b " * 90])
def test_a_shortened_text_always_fits(text: str) -> None:
    assert 0 < width(shorten(text, 60)) <= 60


def test_pages_of_a_group_get_titles_that_nobody_else_has() -> None:
    paths = ["a/care.html", "b/care.html", "b/care-2.html", "care.html"]
    group = ("Care", [SitePage(path=path, title="Care", h1="Care") for path in paths])
    new = unique_titles([group], ["Care (A)"], "")
    assert list(new) == paths
    assert len(set(new.values()) - {"Care", "Care (A)"}) == 4


def test_the_same_group_always_gets_the_same_titles() -> None:
    group = ("Care", [SitePage(path=f"{number}.html", title="Care") for number in range(30)])
    assert unique_titles([group], [], "Site") == unique_titles([group], [], "Site")
