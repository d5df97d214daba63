"""Bad parameters are refused with a sentence that says what to do."""

from pathlib import Path
from typing import Any

import pytest

from taskboard import workflow
from taskboard.errors import BadInput
from taskboard.workflows.seo_audit.forms import SeoAuditForm
from taskboard.workflows.seo_audit.source_check import check_source
from tests.seo_audit.steps import html, make_folder


def clean(**params: Any) -> dict[str, Any]:
    return workflow.get("seo-audit").clean(params)


def test_the_sample_needs_no_other_parameter() -> None:
    assert clean() == {
        "source": "sample", "approve_over": 20, "crawl_delay": "0", "price_per_page": "0",
        "owner_mail": "site-owner@example.com",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"source": " "}, "params.source: Say which site to audit"),
        ({"source": "/no/such/place"}, "There is no folder or file /no/such/place"),
        ({"source": "ftp://example.org"}, "only addresses that begin with http:// or https://"),
        ({"source": "https://example.org\nnonsense"}, "nonsense cannot be used"),
        ({"source": "https://me:secret@example.org/"}, "a user name or password"),
        ({"source": "/a\n/b"}, "“/b” is no address (http:// or https://)."),
        ({"approve_over": "-1"}, "params.approve_over: Give a whole number of pages from 0 to"),
        ({"approve_over": "many"}, "Give a whole number of pages"),
        ({"crawl_delay": "soon"}, "Give a number of seconds"),
        ({"crawl_delay": "NaN"}, "Give a number of seconds"),
        ({"price_per_page": "-0.1"}, "params.price_per_page: Give an amount in US dollars from 0 to"),
        ({"crawl_delay": "301"}, "Give a number of seconds from 0 to 300"),
        ({"price_per_page": "5,50"}, "Give an amount in US dollars"),
        ({"price_per_page": "0.0000001"}, "Give an amount in US dollars"),
        ({"source": "http://"}, "http:// cannot be used: the name of the server is missing"),
        ({"price_per_page": "cheap"}, "Give an amount in US dollars"),
        ({"owner_mail": "nobody"}, "Give one e-mail address"),
        ({"colour": "red"}, "params.colour: There is no such parameter"),
    ],
)
def test_a_bad_parameter_is_named(params: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadInput) as raised:
        clean(**params)
    assert sentence in raised.value.message


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no HTML page"):
        clean(source=str(tmp_path))


def test_a_relative_folder_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_folder(tmp_path / "site", {"a.html": html()})
    monkeypatch.chdir(tmp_path)
    assert clean(source="site")["source"] == str(tmp_path / "site")


def test_a_browser_may_name_only_folders_that_were_allowed(tmp_path: Path, settings: Any) -> None:
    make_folder(tmp_path, {"open/site/a.html": html(), "secret/a.html": html()})
    settings.TASKBOARD_SOURCES = []
    with pytest.raises(BadInput, match="No folder may be named"):
        check_source(str(tmp_path / "open"), browser=True)
    settings.TASKBOARD_SOURCES = [tmp_path / "open"]
    assert check_source(str(tmp_path / "open/site"), browser=True) == str(tmp_path / "open/site")
    (tmp_path / "open/link").symlink_to(tmp_path / "secret")
    for place in ("secret", "secret/missing", "open/../secret", "open/link"):
        with pytest.raises(BadInput, match="Only folders under these"):
            check_source(str(tmp_path / place), browser=True)


def test_a_browser_may_not_look_into_the_private_network() -> None:
    with pytest.raises(BadInput, match=r"cannot be used: 127\.0\.0\.1 is a private address"):
        check_source("http://127.0.0.1:8000/", browser=True)
    assert check_source("http://127.0.0.1:8000/", browser=False)
    assert check_source("sample", browser=True) == "sample"


def test_capital_letters_do_not_matter_to_the_sample() -> None:
    assert clean(source="Sample")["source"] == "sample"


def test_an_address_that_is_given_twice_counts_once() -> None:
    named = "https://example.org/\nhttps://example.org/b\nhttps://EXAMPLE.org/#top"
    assert clean(source=named)["source"] == "https://example.org/\nhttps://example.org/b"


def test_other_kinds_of_addresses_are_told_what_may_be_named(settings: Any) -> None:
    settings.TASKBOARD_SOURCES = []
    with pytest.raises(
        BadInput, match=r"“javascript:alert.1.” cannot be audited. Use addresses that begin with"
    ):
        check_source("javascript:alert(1)", browser=True)


def test_folders_are_offered_only_where_some_may_be_named(settings: Any) -> None:
    settings.TASKBOARD_SOURCES = []
    assert "folder" not in str(SeoAuditForm()["source"].help_text)
    settings.TASKBOARD_SOURCES = [Path("/srv/sites")]
    assert "folder" in str(SeoAuditForm()["source"].help_text)


def test_numbers_are_typed_as_text() -> None:
    """A number field drops the comma of 5,50."""
    assert 'type="number"' not in SeoAuditForm().as_p()
