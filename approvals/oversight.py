"""How decisions are made: how long they take, how many are given at a glance, together, as a no, or not at all."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from statistics import median

from django.contrib.auth.models import User
from django.core import signing
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from approvals.models import Approval, ApprovalStatus, Handling, Outcome, Vote
from approvals.rights import OVERSEE_PEOPLE
from taskboard.models import PurgeRecord, Task

QUESTIONS = Approval._meta.label_lower
"""What the record of a purge calls them."""
GLANCE = timedelta(seconds=3)
SALT = "approvals.shown"
LONGEST_VISIT = timedelta(days=1)
STEPS: Sequence[tuple[StrOrPromise, float]] = (
    (_("≤ 1 min"), 60), (_("≤ 10 min"), 600), (_("≤ 1 h"), 3600), (_("≤ 4 h"), 14_400), (_("≤ 1 d"), 86_400),
    (_("≤ 3 d"), 259_200), (_("longer"), float("inf")),
)  # fmt: skip
"""The bars of how long questions waited: each holds what took no longer than this."""
SHOWN = (
    ApprovalStatus.APPROVED,
    ApprovalStatus.REJECTED,
    ApprovalStatus.CHANGES_REQUESTED,
    ApprovalStatus.EXPIRED,
)


@dataclass(frozen=True)
class Figures:
    """Of all answers in a time, or of those of one person."""

    name: str
    answers: int
    median: timedelta | None
    timed: int
    glances: int
    together: int
    noes: int

    @property
    def glance_share(self) -> int | None:
        return _percent(self.glances, self.timed)

    @property
    def together_share(self) -> int | None:
        return _percent(self.together, self.answers)

    @property
    def no_share(self) -> int | None:
        return _percent(self.noes, self.answers)


@dataclass(frozen=True)
class Report:
    """Everything that the page shows."""

    all: Figures
    closed: int
    expired: int
    days: list[tuple[date, dict[str, int]]]
    waits: list[tuple[StrOrPromise, int]]
    people: list[Figures]
    purged_tasks: int
    purged_questions: int

    @property
    def expired_share(self) -> int | None:
        return _percent(self.expired, self.closed)


@dataclass(frozen=True)
class _Answer:
    """One answer, as far as the figures need it."""

    name: str
    outcome: str
    waited: timedelta | None
    looked: timedelta | None
    together: bool


def report(user: User, days: int, now: datetime) -> Report:
    """The figures of the last days; people by name only for those who may see them so."""
    tasks = Task.objects.visible_to(user)
    since = now - timedelta(days=days)
    given = _answers(tasks, since)
    names = sorted({one.name for one in given}, key=str.casefold)
    by_name = user.has_perm(OVERSEE_PEOPLE)
    closed = Approval.objects.filter(task__in=tasks, closed_at__gte=since, status__in=SHOWN)
    by_day, statuses = _by_day(closed.values_list("closed_at", "status"), days, now)
    gone = _purged(since)
    return Report(
        all=_figures("", given),
        closed=sum(statuses.values()),
        expired=statuses[ApprovalStatus.EXPIRED],
        days=by_day,
        waits=_waits(given),
        people=[_figures(name, [one for one in given if one.name == name]) for name in names]
        if by_name
        else [],
        purged_tasks=len(gone),
        purged_questions=sum(gone),
    )


def shown_mark(approval_id: int) -> str:
    """Goes with the form of a card, and says when it was shown. Signed: nobody can look slower than they were."""
    return signing.dumps([approval_id, time.time()], salt=SALT)


def note(approval: Approval, user: User, mark: str) -> None:
    """Keep how an answer from a page was given. A mark that is missing or not ours only means: not known."""
    said = Vote.objects.filter(approval=approval, user=user.pk, counts=True).order_by("pk").last()
    if said is not None:
        Handling.objects.get_or_create(
            vote=said, defaults={"way": Handling.Way.PAGE, "shown_at": _read(approval.pk, mark)}
        )


def _read(approval_id: int, mark: str) -> datetime | None:
    try:
        pk, at = signing.loads(mark, salt=SALT, max_age=LONGEST_VISIT)
    except (signing.BadSignature, ValueError):
        return None
    return datetime.fromtimestamp(at, UTC) if pk == approval_id else None


def _answers(tasks: "Iterable[Task]", since: datetime) -> list[_Answer]:
    votes = Vote.objects.filter(approval__task__in=tasks, at__gte=since, counts=True)
    rows = votes.order_by("pk").values_list(
        "user_name", "outcome", "at", "approval__visible_at", "handling__way", "handling__shown_at"
    )
    return [
        _Answer(
            name,
            outcome,
            at - visible if visible else None,
            at - shown if shown else None,
            way == Handling.Way.BULK,
        )
        for name, outcome, at, visible, way, shown in rows.iterator(chunk_size=2000)
    ]


def _purged(since: datetime) -> list[int]:
    """The questions of each purged task that may have had some in this time: of these only their number stays."""
    records = PurgeRecord.objects.filter(completed=True, finished_at__gte=since).order_by()
    rows = records.values_list("counts__rows", flat=True)
    return [number for one in rows.iterator(chunk_size=2000) if (number := (one or {}).get(QUESTIONS, 0))]


def _figures(name: str, given: Sequence[_Answer]) -> Figures:
    waited = [one.waited.total_seconds() for one in given if one.waited is not None]
    looked = [one.looked for one in given if one.looked is not None]
    return Figures(
        name=name,
        answers=len(given),
        median=timedelta(seconds=median(waited)) if waited else None,
        timed=len(looked),
        glances=sum(one < GLANCE for one in looked),
        together=sum(one.together for one in given),
        noes=sum(one.outcome == Outcome.REJECT for one in given),
    )


def _by_day(
    rows: Iterable[tuple[datetime | None, str]], days: int, now: datetime
) -> tuple[list[tuple[date, dict[str, int]]], Counter[str]]:
    statuses: Counter[str] = Counter()
    last = timezone.localdate(now)
    counts: dict[date, Counter[str]] = {last - timedelta(days=n): Counter() for n in range(days - 1, -1, -1)}
    for at, status in rows:
        statuses[status] += 1
        day = timezone.localdate(at) if at else last
        if day in counts:
            counts[day][status] += 1
    return [(day, dict(found)) for day, found in counts.items()], statuses


def _waits(given: Sequence[_Answer]) -> list[tuple[StrOrPromise, int]]:
    counts = [0] * len(STEPS)
    for one in given:
        if one.waited is not None:
            seconds = one.waited.total_seconds()
            counts[next(n for n, (_label, most) in enumerate(STEPS) if seconds <= most)] += 1
    return [(label, count) for (label, _most), count in zip(STEPS, counts, strict=True)]


def _percent(part: int, whole: int) -> int | None:
    return round(100 * part / whole) if whole else None
