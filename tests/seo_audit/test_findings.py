"""Facts and surroundings in, findings out."""

from typing import Any

import pytest

from taskboard.workflows.seo_audit.findings import Surroundings, find, needs_ticket
from taskboard.workflows.seo_audit.models import SitePage

GOOD = {
    "path": "mugs.html", "has_title": True, "title": "Mugs with a thumb rest", "has_description": True,
    "description": "A stoneware mug with a flat for the thumb, in five glazes.", "h1": "Mugs", "h1_count": 1,
    "lang": "en", "canonical": "/mugs.html", "viewport": True,
}  # fmt: skip


ALONE = Surroundings()


def codes(around: Surroundings = ALONE, **over: Any) -> list[str]:
    return [finding.code for finding in find(SitePage(**{**GOOD, **over}), around)]


def test_it_finds_nothing_wrong_with_a_good_page() -> None:
    assert codes() == []


@pytest.mark.parametrize(
    ("over", "code"),
    [
        ({"has_title": False, "title": ""}, "title.missing"),
        ({"title": ""}, "title.empty"),
        ({"title": "Mugs"}, "title.short"),
        ({"title": "m" * 61}, "title.long"),
        ({"has_description": False, "description": ""}, "description.missing"),
        ({"description": ""}, "description.empty"),
        ({"description": "Mugs."}, "description.short"),
        ({"description": "m" * 161}, "description.long"),
        ({"h1_count": 0}, "h1.missing"),
        ({"h1_count": 2}, "h1.several"),
        ({"lang": ""}, "lang.missing"),
        ({"canonical": ""}, "canonical.missing"),
        ({"canonical_elsewhere": True}, "canonical.elsewhere"),
        ({"noindex": True, "robots": "noindex"}, "robots.noindex"),
        ({"viewport": False}, "viewport.missing"),
        ({"images": 3, "images_without_alt": 2}, "images.alt"),
        ({"error": "it is empty"}, "page.unreadable"),
    ],
)
def test_it_finds_each_fault(over: dict[str, Any], code: str) -> None:
    assert codes(**over) == [code]


def test_it_finds_what_only_the_rest_of_the_site_shows() -> None:
    around = Surroundings(title_twins=2, description_twins=1, broken_links=["gone.html"])
    assert codes(around) == ["links.broken", "title.duplicate", "description.duplicate"]


def test_chinese_characters_count_as_two() -> None:
    assert codes(title="成都陶艺工作室") == []


def test_it_names_ten_broken_links_and_counts_the_rest() -> None:
    around = Surroundings(broken_links=[f"{number:02}.html" for number in range(12)])
    finding = find(SitePage(**GOOD), around)[0]
    assert finding.short == "12 broken links"
    assert "09.html and 2 more" in finding.text
    assert "10.html" not in finding.text


def test_blemishes_alone_need_no_ticket() -> None:
    assert not needs_ticket(find(SitePage(**{**GOOD, "title": "m" * 61, "viewport": False}), Surroundings()))
    assert needs_ticket(find(SitePage(**{**GOOD, "lang": ""}), Surroundings()))
