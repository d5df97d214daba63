"""What the tags of all pages say: statuses, times, amounts, bars, foreign text."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import AnonymousUser
from django.forms import CharField, Form
from django.http import HttpRequest
from django.template import Context, Template
from django.utils import timezone, translation

from taskboard import looks
from taskboard.models import ItemStatus, StepStatus, TaskStatus
from taskboard.views.styleguide import styleguide

MOMENT = datetime(2026, 9, 10, 15, 30, 7, tzinfo=UTC)


def shown(source: str, **context: object) -> str:
    return Template("{% load taskboard %}" + source).render(Context(context)).strip()


@pytest.mark.parametrize("kind", [TaskStatus, ItemStatus, StepStatus])
def test_every_status_has_a_look_and_a_word(kind):
    for value, label in kind.choices:
        assert value in looks.LOOKS
        assert str(label) in shown("{% status value %}", value=value)


def test_every_item_status_has_a_place_in_the_bar():
    assert set(looks.FILLS) == {*ItemStatus.values, "begun"}


def test_a_status_is_a_symbol_and_a_word_so_that_colour_is_not_needed():
    html = shown("{% status value %}", value="failed")
    assert "#x-circle" in html
    assert "Failed" in html


def test_a_status_takes_the_word_of_its_object():
    thing = SimpleNamespace(status="open", get_status_display=lambda: "Asked")
    assert "Asked" in shown("{% status thing %}", thing=thing)


def test_an_unknown_status_is_shown_as_it_is_and_escaped():
    assert "&lt;b&gt;" in shown("{% status value %}", value="<b>")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (-10, "in a moment"),
        (50, "1 min ago"),
        (-40 * 60, "in 40 min"),
        (5 * 3600, "5 h ago"),
        (-5 * 3600, "in 5 h"),
        (3 * 86400, "3 d ago"),
        (-3 * 86400, "in 3 d"),
    ],
)
def test_an_age_is_said_in_its_largest_unit(seconds, text):
    assert looks.age(timedelta(seconds=seconds)) == text


def test_an_age_carries_exact_utc():
    html = shown("{% ago when %}", when=timezone.now() - timedelta(minutes=3))
    assert "3 min ago" in html
    assert "data-ago" in html
    assert " UTC&quot;" not in html
    assert ' UTC"' in html


def test_a_time_is_in_the_zone_of_the_reader_with_its_name():
    with timezone.override(ZoneInfo("Asia/Seoul")):
        html = shown("{% local when %}", when=MOMENT)
    assert "11 Sep 2026, 00:30 KST" in html
    assert 'title="2026-09-10 15:30:07 UTC"' in html
    assert 'datetime="2026-09-10T15:30:07Z"' in html


@pytest.mark.parametrize(
    "tag", ["{% ago when %}", "{% local when %}", "{{ when|duration }}", "{{ when|usd }}"]
)
def test_nothing_is_a_dash(tag):
    assert shown(tag, when=None) == "–"


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(seconds=42), "42 s"),
        (7500, "2 h 5 min"),
        (timedelta(days=3, minutes=5), "3 d"),
        (0, "0 s"),
        (86400, "1 d"),
    ],
)
def test_a_duration_has_two_units_at_most(length, text):
    assert shown("{{ length|duration }}", length=length) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (7_350_000, "$7.35"),
        (2_300, "$0.0023"),
        (1_234_500_000, "$1,234.50"),
        (0, "$0.00"),
        (Decimal("20"), "$20.00"),
        (Decimal("0.1"), "$0.10"),
    ],
)
def test_an_amount_shows_cents_and_what_is_smaller(amount, text):
    assert shown("{{ amount|usd }}", amount=amount) == text


def test_an_amount_is_rounded_to_cents_and_exact_on_hover():
    exact = 3_033_346
    assert shown("{{ amount|usd }}", amount=exact) == '<span title="$3.033346">$3.03</span>'
    assert shown("{{ amount|exact_usd }}", amount=exact) == "$3.033346"
    about = '<span title="Partly estimated; in full $3.033346">about $3.03</span>'
    assert shown("{{ amount|about_usd }}", amount=exact) == about
    assert shown("{{ amount|about_usd:0 }}", amount=3_030_000) == "$3.03"


def test_the_parts_of_a_bar_fill_it_exactly_and_none_is_too_thin_to_see():
    parts = looks.parts({"done": 99_990, "failed": 1, "pending": 9})
    assert [part.status for part in parts] == ["done", "failed", "pending"]
    assert sum(Decimal(part.size) for part in parts) == pytest.approx(100, abs=Decimal("0.05"))
    assert all(Decimal(part.size) > 1 for part in parts)


def test_a_bar_speaks_its_numbers_and_draws_patterns():
    html = shown("{% segmented counts %}", counts={"done": 1200, "waiting_approval": 3})
    assert 'aria-label="1,200 Done, 3 Waiting for approval"' in html
    assert "url(#pat-wait)" in html


def test_a_bar_without_items_says_so():
    assert "No items yet" in shown("{% segmented counts %}", counts={})


def test_sizes_stay_readable_for_svg_where_people_write_a_comma():
    with translation.override("de"):
        assert 'width="66.67%"' in shown("{% segmented counts %}", counts={"done": 2, "pending": 1})


def test_the_legend_links_each_number_to_its_items():
    html = shown('{% legend counts link="?status=" %}', counts={"failed": 5})
    assert 'href="?status=failed#items-title"' in html
    assert "<b>5</b> Failed" in html


def test_a_budget_warns_from_80_percent_on():
    assert "used" not in shown("{% budget 7000000 900000 10000000 %}")
    assert "80 % used" in shown("{% budget 7000000 1000000 10000000 %}")


def test_a_budget_beyond_its_limit_stays_inside_its_bar():
    html = shown("{% budget 30000000 5000000 20000000 %}")
    assert 'width="100.00%"' in html
    assert "175 % used" in html


def test_a_budget_may_have_no_limit_or_a_limit_of_nothing():
    assert "no limit" in shown("{% budget 5 0 None %}")
    assert "100 % used" in shown("{% budget 0 0 0 %}")


def test_foreign_text_shows_what_cannot_be_seen_and_is_escaped():
    html = shown("{% printable text %}", text="rm <b>\u202egnp.elif\u200b")
    assert html.startswith("<bdi>rm &lt;b&gt;")
    assert "U+202E" in html
    assert "U+200B" in html
    assert "\u202e" not in html


def test_honest_text_of_any_script_stays_as_it_is():
    for text in ("שלום עולם", "مرحبا", "价格", "a\nb\tc", "Žofie"):
        assert shown("{% printable text %}", text=text) == f"<bdi>{text}</bdi>"


def test_a_diff_tells_added_and_removed_lines_apart():
    lines = looks.diff_lines("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n--- looks like a head\n")
    assert [line.kind for line in lines] == ["place", "remove", "add", "same", "remove"]


def test_a_field_ties_help_and_error_to_its_input():
    form = type("Fields", (Form,), {"source": CharField(help_text="Where it is.")})({})
    html = shown("{% field form.source %}", form=form)
    assert 'aria-describedby="id_source_helptext id_source_error"' in html
    assert 'id="id_source_helptext"' in html
    assert 'id="id_source_error"' in html


def test_a_line_of_the_navigation_is_left_out_where_the_address_does_not_exist():
    assert shown('{% nav_link "nowhere:at-all" "tasks" "Nowhere" %}', request=HttpRequest()) == ""


def test_a_line_of_the_navigation_knows_where_we_are():
    request = HttpRequest()
    request.path = "/accounts/login/"
    assert 'aria-current="page"' in shown('{% nav_link "login" "lock" "Log in" %}', request=request)
    request.path = "/elsewhere/"
    assert "aria-current" not in shown('{% nav_link "login" "lock" "Log in" %}', request=request)


def test_local_time_js_gets_the_words_of_the_language():
    assert "&quot;now&quot;: &quot;just now&quot;" in shown("{% ago_words %}")


def test_the_styleguide_shows_every_status(rf):
    request = rf.get("/styleguide/")
    request.user = AnonymousUser()
    html = styleguide(request).content.decode()
    for name in looks.LOOKS:
        assert shown("{% status name %}", name=name) in html
    assert "What it would take" in html


@pytest.mark.parametrize(
    ("part", "whole", "percent"),
    [(2, 41, 5), (0, 41, 0), (41, 41, 100), (999, 1000, 99), (1, 1000, 1), (0, 0, 0), (1, 2, 50)],
)
def test_percent_is_rounded_but_neither_all_nor_nothing_too_early(
    part: int, whole: int, percent: int
) -> None:
    assert looks.percent(part, whole) == percent
