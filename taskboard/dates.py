"""Days and times as people read them, in the order in which their language writes them."""

from datetime import date, datetime

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import pgettext


def day(when: date) -> str:
    """`3 Sep 2026`; of a moment it is the day in the reader's zone, as in all that follows."""
    return _written(when, pgettext("day, in Django's date format", "j M Y"))


def short_day(when: date) -> str:
    """`3 Sep`, where the year is plain."""
    return _written(when, pgettext("day without its year, in Django's date format", "j M"))


def weekday(when: date) -> str:
    """`Thursday, 3 September 2026`, as a heading."""
    return _written(when, pgettext("day with its name, in Django's date format", "l, j F Y"))


def minute(when: datetime) -> str:
    """`3 Sep 2026, 14:05 CEST`."""
    return _written(when, pgettext("day and time with zone, in Django's date format", "j M Y, H:i T"))


def second(when: datetime) -> str:
    """`3 Sep 2026, 14:05:09 CEST`."""
    pattern = pgettext("day and time with seconds and zone, in Django's date format", "j M Y, H:i:s T")
    return _written(when, pattern)


def clock(when: datetime) -> str:
    """`14:05:09 CEST`, of a day that stands above."""
    return _written(when, pgettext("time with seconds and zone, in Django's date format", "H:i:s T"))


def _written(when: date, pattern: str) -> str:
    return date_format(timezone.localtime(when) if isinstance(when, datetime) else when, pattern)
