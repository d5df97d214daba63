"""What a list of questions is narrowed to, as the address says it: text, workflow, and for answers who and when."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from approvals.models import Approval, ApprovalQuerySet, ApprovalStatus, Viewer
from taskboard.cleaning import clean_text
from taskboard.numbers import whole

LONGEST = 200
CHOICES = 100
ANSWERED = "answered"
PERIODS = {
    "1": _("Last 24 hours"), "7": _("Last 7 days"), "30": _("Last 30 days"), "90": _("Last 90 days"),
}  # fmt: skip
OUTCOMES = {value: label for value, label in ApprovalStatus.choices if value != ApprovalStatus.OPEN}


@dataclass(frozen=True)
class Wish:
    """Each field is a name in the address; an empty one narrows nothing."""

    q: str = ""
    workflow: str = ""
    outcome: str = ""
    who: str = ""
    days: str = ""
    state: str = ""

    @property
    def given(self) -> dict[str, str]:
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    @property
    def query(self) -> str:
        return urlencode(self.given)


@dataclass(frozen=True)
class Choices:
    """What the filters offer."""

    workflows: list[str]
    people: list[str]
    outcomes: dict[str, str]
    periods: dict[str, str]


def wished(said: Mapping[str, str], *, answered: bool) -> Wish:
    """What was asked for; who, how and when only where there are answers."""
    found = {field.name: clean_text(said.get(field.name, "").strip(), LONGEST) for field in fields(Wish)}
    if not answered:
        return Wish(found["q"], found["workflow"])
    outcome = found["outcome"] if found["outcome"] in OUTCOMES else ""
    days = found["days"] if found["days"] in PERIODS else ""
    state = ANSWERED if found["state"] == ANSWERED else ""
    return Wish(found["q"], found["workflow"], outcome, found["who"], days, state)


def narrowed(asked: ApprovalQuerySet, wish: Wish, now: datetime) -> ApprovalQuerySet:
    """The questions that the wish leaves; each word has to be found somewhere."""
    for word in wish.q.split():
        asked = asked.filter(_says(word))
    if wish.workflow:
        asked = asked.filter(task__workflow=wish.workflow)
    if wish.outcome:
        asked = asked.filter(status=wish.outcome)
    if wish.who:
        asked = asked.filter(decided_by_name=wish.who)
    if wish.days:
        asked = asked.filter(closed_at__gte=now - timedelta(days=int(wish.days)))
    return asked


def choices(user: Viewer, *, answered: bool) -> Choices:
    """Names that occur, so that no choice leads to nothing at all."""
    visible = Approval.objects.visible_to(user).order_by()
    named = visible.exclude(task__workflow="")
    workflows = named.values_list("task__workflow", flat=True).distinct()
    people = visible.exclude(decided_by_name="").values_list("decided_by_name", flat=True).distinct()
    return Choices(
        sorted(workflows[:CHOICES]),
        sorted(people[:CHOICES], key=str.casefold) if answered else [],
        {value: str(label) for value, label in OUTCOMES.items()},
        {value: str(label) for value, label in PERIODS.items()},
    )


def _says(word: str) -> Q:
    texts = ("action", "consequence", "target", "item_key", "task__public_id", "task__goal", "reason")
    found = Q()
    for name in texts:
        found |= Q(**{f"{name}__icontains": word})
    number = whole(word.removeprefix("#"))
    return found if number is None else found | Q(pk=number)
