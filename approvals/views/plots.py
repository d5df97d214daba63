"""Bars as SVG: where each rectangle and word stands. Drawn here, so that a page needs no script for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django_stubs_ext import StrOrPromise

from taskboard import dates

WIDTH, HEIGHT, FOOT, HEAD = 640, 150, 20, 14
GAP = 0.25
ORDER = ("approved", "changes_requested", "rejected", "expired")
TICKS = 5


@dataclass(frozen=True)
class Bar:
    """A rectangle with what it stands for."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    told: str


@dataclass(frozen=True)
class Word:
    """A text under or above the bars."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Plot:
    """A picture of WIDTH x HEIGHT."""

    bars: list[Bar]
    words: list[Word]
    width: int = WIDTH
    height: int = HEIGHT
    ground: int = HEIGHT - FOOT


def of_days(days: Sequence[tuple[date, dict[str, int]]], labels: dict[str, str]) -> Plot:
    """One stack a day, a piece for each outcome."""
    most = max((sum(counts.values()) for _day, counts in days), default=0) or 1
    slot, scale = WIDTH / max(len(days), 1), (HEIGHT - FOOT - HEAD) / most
    bars = []
    for place, (day, counts) in enumerate(days):
        y = float(HEIGHT - FOOT)
        for kind in ORDER:
            if number := counts.get(kind, 0):
                y -= number * scale
                told = f"{dates.short_day(day)}: {number} {labels.get(kind, kind)}"
                bars.append(_bar(place, slot, y, number * scale, kind, told))
    every = max(1, round(len(days) / TICKS))
    words = [
        Word(round((place + 0.5) * slot, 1), HEIGHT - 5, dates.short_day(day))
        for place, (day, _counts) in enumerate(days)
        if place % every == every // 2
    ]
    return Plot(bars, words)


def of_counts(counts: Sequence[tuple[StrOrPromise, int]]) -> Plot:
    """One bar for each count, with its number above it and its name below."""
    most = max((number for _label, number in counts), default=0) or 1
    slot, scale = WIDTH / max(len(counts), 1), (HEIGHT - FOOT - HEAD) / most
    bars, words = [], []
    for place, (label, number) in enumerate(counts):
        top, middle = HEIGHT - FOOT - number * scale, round((place + 0.5) * slot, 1)
        words.append(Word(middle, HEIGHT - 5, str(label)))
        if number:
            bars.append(_bar(place, slot, top, number * scale, "count", f"{label}: {number}"))
            words.append(Word(middle, round(top - 3, 1), str(number)))
    return Plot(bars, words)


def _bar(place: int, slot: float, y: float, height: float, kind: str, told: str) -> Bar:
    x, width = (place + GAP / 2) * slot, slot * (1 - GAP)
    return Bar(round(x, 1), round(y, 1), round(width, 1), round(height, 1), kind, told)
