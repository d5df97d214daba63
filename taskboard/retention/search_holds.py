"""Holds by a search: they keep every task that matches, those that start later too. They speak the language of
the search on the Tasks page, and know one word more: `item:`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit
from taskboard.audit import Actor
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, WrongState
from taskboard.lists import tasks as lists
from taskboard.lists import words
from taskboard.models import HoldRule, Item, Task
from taskboard.retention.hold import name_of, said

MOVING_DAYS = ("today", "yesterday")


def _item(value: str) -> Q:
    """Tasks with an item whose key begins so."""
    return Q(Exists(Item.objects.filter(task=OuterRef("pk"), key__startswith=value)))


FILTERS: Mapping[str, Callable[[str], Q]] = {**lists.FILTERS, "item": _item}


def add(by: Actor, search: str, reason: str, until: datetime | None = None) -> HoldRule:
    """Hold what matches from now on. Raises BadInput for a search that means nothing or moves with the day."""
    search = clean_text(search, words.LONGEST).strip()
    read(search)
    with transaction.atomic():
        rule = HoldRule.objects.create(
            search=search, time_zone=timezone.get_current_timezone_name(), reason=said(reason),
            owner_name=name_of(by), created_at=timezone.now(), until=until,
        )  # fmt: skip
        audit.record(by, "hold_rule", rule, reason=rule.reason, after=as_json(rule))
    return rule


def end(pk: int, by: Actor, reason: str = "") -> HoldRule:
    """What only this hold kept may be purged once its time is over."""
    now = timezone.now()
    with transaction.atomic():
        ended = {"ended_at": now, "ended_by_name": name_of(by)}
        if not active(now).filter(pk=pk).update(**ended):
            raise WrongState(_("This hold is over already."))
        rule = HoldRule.objects.get(pk=pk)
        audit.record(by, "hold_rule_ended", rule, reason=reason, before=as_json(rule))
    return rule


def active(now: datetime) -> "QuerySet[HoldRule]":
    return HoldRule.objects.filter(Q(until=None) | Q(until__gt=now), ended_at=None)


def over(now: datetime) -> "QuerySet[HoldRule]":
    """Those that were ended, or whose day is over."""
    return HoldRule.objects.filter(Q(until__lte=now) | Q(ended_at__isnull=False))


def matching(now: datetime) -> Q:
    """The tasks that any of the holds keeps."""
    found = Q(pk__in=())
    for rule in active(now):
        found |= meant(rule)
    return found


def meant(rule: HoldRule) -> Q:
    """What a hold means. One that nobody can read any more, after a change of the code, holds everything."""
    try:
        with timezone.override(ZoneInfo(rule.time_zone)):
            return read(rule.search)
    except BadInput:
        return Q(pk__isnull=False)


def read(search: str) -> Q:
    """The tasks that a search means; raises BadInput."""
    found = words.read(search, FILTERS)
    if not found:
        raise BadInput(_("Write what must be held, as in the search of the Tasks page."), "search")
    for word in found:
        if word.name == "created" and word.value.lstrip("<>=").strip().lower() in MOVING_DAYS:
            told = _("“%s” is another day tomorrow. Write the day itself, such as 2026-09-17.")
            raise BadInput(told % word.value, "search")
    meaning = Q()
    for word in found:
        one = FILTERS[word.name](word.value) if word.name else lists.text(word.value)
        meaning &= ~one if word.unwanted else one
    return meaning


def found(search: str, tasks: "QuerySet[Task]") -> "QuerySet[Task]":
    return tasks.filter(read(search))


def keeping(tasks: Iterable[Task], now: datetime) -> Mapping[int, Sequence[HoldRule]]:
    """Which holds keep which of these tasks; one query per hold."""
    pks = [task.pk for task in tasks]
    kept: dict[int, list[HoldRule]] = {}
    for rule in active(now).order_by("pk") if pks else ():
        for pk in Task.objects.filter(meant(rule), pk__in=pks).values_list("pk", flat=True):
            kept.setdefault(pk, []).append(rule)
    return kept


def why(rule: HoldRule) -> str:
    """A sentence on what it keeps and why."""
    told = {"search": rule.search, "reason": rule.reason, "by": rule.owner_name}
    if rule.until is None:
        return _("%(by)s holds everything that matches “%(search)s”: %(reason)s") % told
    told["until"] = f"{timezone.localtime(rule.until):%Y-%m-%d %H:%M %Z}"
    return _("%(by)s holds everything that matches “%(search)s” until %(until)s: %(reason)s") % told


def as_json(rule: HoldRule) -> dict[str, object]:
    return {
        "search": rule.search, "time_zone": rule.time_zone, "reason": rule.reason, "owner": rule.owner_name,
        "until": rule.until.isoformat() if rule.until else None,
    }  # fmt: skip
