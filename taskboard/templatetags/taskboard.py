"""Tags and filters of all pages: statuses, times, amounts, bars, fields."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from itertools import groupby
from typing import Any

from django import template
from django.db.models import Model
from django.forms import BoundField, CheckboxInput
from django.template import Context
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from taskboard import dates, joining, looks, sentences
from taskboard.models import Item
from taskboard.views import funnel

register = template.Library()
NOTHING = "–"
MOVING = ("running", "started")


@register.simple_tag
@cache
def icon(name: str, spin: bool = False) -> SafeString:
    """A picture beside a word; alone in a button it needs an aria-label there. A page has a hundred of them."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        " spin" if spin else "",
        static("icons.svg"),
        name,
    )


@register.filter
def told(kept: str) -> str:
    """What the database keeps as a sentence, in the reader's language."""
    return sentences.read(kept)


@register.inclusion_tag("_status.html")
def status(value: Model | str, label: str = "", quiet: bool = False) -> dict[str, Any]:
    """Symbol and word of a status; `value` is the status or an object that has one."""
    name = str(getattr(value, "status", value))
    display = getattr(value, "get_status_display", None)
    tone, symbol = looks.looks(name)
    word = label or (display() if display else looks.word(name))
    return {"tone": tone, "symbol": symbol, "word": word, "quiet": quiet, "spin": name in MOVING}


@register.inclusion_tag("_status.html")
def item_status(item: Item, quiet: bool = False) -> dict[str, Any]:
    """The same of an item whose task is at hand: what has begun does not run where nothing of the task runs."""
    return status(funnel.status_of(item), quiet=quiet)


@register.filter
def tone(name: str) -> str:
    """`ok`, `live`, `wait`, `stop`, `bad` or `mute`: of a status, or of a message's level."""
    return looks.TOAST_TONES.get(name) or looks.looks(name)[0]


@register.filter
def symbol(name: str) -> str:
    """The icon of a status."""
    return looks.looks(name)[1]


@register.filter
def status_word(name: str) -> str:
    return str(looks.word(name))


@register.simple_tag
def ago(when: datetime | None) -> SafeString | str:
    """`3 min ago` or `in 2 h`, kept true by local-time.js; exact UTC on hover."""
    return _time(when, looks.age(timezone.now() - when), "data-ago") if when else NOTHING


@register.simple_tag
def local(when: datetime | None) -> SafeString | str:
    """Day and time in the reader's zone, with its name; exact UTC on hover."""
    return NOTHING if when is None else _time(when, dates.minute(when))


@register.simple_tag
def moment(when: datetime) -> SafeString:
    """The same to the second."""
    return _time(when, dates.second(when))


@register.simple_tag
def clock(when: datetime) -> SafeString:
    """The time of a day that stands above, in the reader's zone, with its name; exact UTC on hover."""
    return _time(when, dates.clock(when))


@register.filter
def day(when: date) -> str:
    """`3 Sep 2026`, as the reader's language writes it."""
    return dates.day(when)


@register.filter
def weekday(when: date) -> str:
    """The same as a heading: `Thursday, 3 September 2026`."""
    return dates.weekday(when)


def _time(when: datetime, text: str, mark: str = "") -> SafeString:
    exact = when.astimezone(UTC)
    return format_html(
        '<time datetime="{}" title="{}" {}>{}</time>',
        exact.isoformat(timespec="seconds").replace("+00:00", "Z"),
        f"{exact:%Y-%m-%d %H:%M:%S} UTC",
        mark,
        text,
    )


@register.simple_tag
def ago_words() -> str:
    """What local-time.js says, in the reader's language."""
    return json.dumps({name: str(text) for name, text in looks.AGES.items()}, ensure_ascii=False)


@register.filter
def duration(length: timedelta | float | None) -> str:
    """`2 h 5 min`, of a timedelta or of seconds."""
    if length is None:
        return NOTHING
    return looks.duration(length if isinstance(length, timedelta) else timedelta(seconds=length))


@register.filter
def kept_for(length: timedelta | None) -> str:
    """How long finished tasks are kept; None stands for without an end."""
    if length is None:
        return gettext("without an end")
    return looks.duration(length) if length else gettext("not at all")


@register.filter
def usd(amount: Decimal | int | None) -> SafeString | str:
    """An amount in whole cents, exactly on hover: whole numbers are micro-USD, decimals USD."""
    if amount is None:
        return NOTHING
    short, exact = looks.short_dollars(amount), looks.dollars(amount)
    return short if short == exact else format_html('<span title="{}">{}</span>', exact, short)


@register.filter
def exact_usd(amount: Decimal | int | None) -> str:
    """An amount that somebody sets or agrees to."""
    return NOTHING if amount is None else looks.dollars(amount)


@register.filter
def about_usd(amount: Decimal | int, estimated: bool = True) -> SafeString | str:
    """An amount of which a part is estimated."""
    if not estimated:
        return usd(amount)
    why = gettext("Partly estimated; in full %(amount)s") % {"amount": looks.dollars(amount)}
    told = gettext("about %(amount)s") % {"amount": looks.short_dollars(amount)}
    return format_html('<span title="{}">{}</span>', why, told)


@register.inclusion_tag("_segmented.html")
def segmented(counts: Mapping[str, int], small: bool = False) -> dict[str, Any]:
    """Progress as a bar; each status has its own pattern, and the numbers are spoken."""
    found = looks.parts(counts)
    spoken = joining.listed(f"{part.number} {part.word}" for part in found) or gettext("No items yet")
    return {"parts": [part for part in found if part.fill], "spoken": spoken, "small": small}


@register.inclusion_tag("_legend.html")
def legend(counts: Mapping[str, int], link: str = "") -> dict[str, Any]:
    """The numbers behind a bar; with `link` (such as `?status=`) each leads to its items."""
    return {"parts": looks.parts(counts), "link": link}


@register.inclusion_tag("_budget.html")
def budget(
    spent: int, reserved: int, limit: int | None, small: bool = False, estimated: bool = False
) -> dict[str, Any]:
    """What is spent (`estimated` in part) and reserved of a limit, in micro-USD; a warning from 80 % on."""
    whole = limit or 1
    spent_share = min(100.0, 100 * spent / whole)
    reserved_share = min(100.0 - spent_share, 100 * reserved / whole)
    percent = 100 * (spent + reserved) // whole if limit else 100 * (limit == 0)
    spoken = gettext("%(spent)s spent, %(reserved)s reserved, limit %(limit)s")
    return {
        "spent": spent,
        "reserved": reserved,
        "limit": limit,
        "small": small,
        "estimated": estimated,
        "spent_share": f"{spent_share:.2f}",
        "reserved_share": f"{reserved_share:.2f}",
        "percent": percent,
        "warn": limit is not None and percent >= 80,
        "spoken": spoken
        % {
            "spent": looks.short_dollars(spent),
            "reserved": looks.short_dollars(reserved),
            "limit": exact_usd(limit),
        },
    }


@register.inclusion_tag("_field.html")
def field(bound: BoundField) -> dict[str, Any]:
    """Label, field, help and errors of a form's field."""
    return {"field": bound, "checkbox": isinstance(bound.field.widget, CheckboxInput)}


@register.filter
def diff_lines(diff: str | list[str]) -> list[looks.Line]:
    return list(looks.diff_lines(diff))


@register.simple_tag
def printable(text: object) -> SafeString:
    """Foreign text with what cannot be seen made visible; it cannot turn its surroundings around."""
    runs = groupby(str(text), looks.hidden)
    return format_html("<bdi>{}</bdi>", format_html_join("", "{}", ((_run(*run),) for run in runs)))


def _run(hidden: bool, characters: Iterator[str]) -> SafeString:
    if not hidden:
        return escape("".join(characters))
    codes = ((f"U+{ord(character):04X}",) for character in characters)
    return format_html_join("", '<span class="mark">{}</span>', codes)


@register.inclusion_tag("_nav_link.html", takes_context=True)
def nav_link(
    context: Context, view: str, symbol: str, text: str, badge: bool = False, needs: bool = False
) -> dict[str, Any]:
    """A line of the navigation, with the number of open questions or of stuck steps; nothing where the address
    does not exist."""
    try:
        url = reverse(view)
    except NoReverseMatch:
        url = ""
    path = context["request"].path
    current = path == url or path.startswith("/tasks/" if url == "/" else url or " ")
    shown = {"url": url, "current": current, "symbol": symbol, "text": text, "badge": badge, "needs": needs}
    numbers = ("open_questions", "stuck_steps")
    return shown | {name: context.get(name) for name in numbers}
