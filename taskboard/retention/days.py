"""Days as administrators give them: in a zone, to their end."""

from datetime import date, datetime, time, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard.errors import BadInput

LAST_YEAR = 9000


def end_of(day: date | None, now: datetime) -> datetime | None:
    """The end of that day in the current zone; None stands for no end. Raises BadInput for a day that is over."""
    if day is None:
        return None
    if day.year > LAST_YEAR:
        raise BadInput(_("That day is too far away. Leave it empty for a hold without an end."), "until")
    end = beginning(day + timedelta(days=1))
    if end <= now:
        raise BadInput(_("That day is over already. Give today or a later day."), "until")
    return end


def beginning(day: date) -> datetime:
    """The first moment of that day in the current zone, also where a clock change swallows midnight."""
    return datetime.combine(day, time(), timezone.get_current_timezone())
