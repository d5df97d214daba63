"""Who has to be told of which question: rows that are written once per question and person, and sent later."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import Group, User
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from approvals import facts, rules
from approvals.models import Absence, Approval, Notice, NoticePreference
from approvals.models.notice import NoticeKind
from approvals.rules import Person

DEFAULTS: Mapping[str, bool] = {
    NoticeKind.ASKED: True, NoticeKind.PASSED: True, NoticeKind.REMINDER: True, NoticeKind.DECIDED: False,
}  # fmt: skip
"""What a person gets who has chosen nothing."""
LOOK_BACK = timedelta(days=1)
"""How long ago an answer may be, or the beginning of an absence, that nobody was told of."""
BATCH = 200
O = Notice.Outcome  # noqa: E741


@dataclass(frozen=True)
class Reader:
    """Somebody who may have to be told, and the kinds of which they want a mail."""

    user: User
    person: Person
    wants: frozenset[str]


def collect(now: datetime) -> int:
    """Write down who has to be told of new questions and new answers; returns how many."""
    return _asked(now) + _stood_in(now) + _answered(now)


def remind(approval: Approval, share: int) -> int:
    """This share of the time, in percent, is over: those who may still answer are told so, once."""
    now = timezone.now()
    readers = readers_of(approval.group_name, approval.assignee_id, now)
    return _write(_rows(approval, readers, NoticeKind.REMINDER, now, share))


def readers_of(group: str, assignee: int | None, now: datetime) -> list[Reader]:
    """The person that it was passed on to, else the active members of the group; and whoever stands in for them."""
    asked = User.objects.filter(Q(pk=assignee) if assignee else Q(groups__name=group), is_active=True)
    stand_ins = Absence.objects.current(now).filter(user__in=asked.values("pk")).values("substitute")
    pks = {*asked.values_list("pk", flat=True), *stand_ins.values_list("substitute", flat=True)}
    people = User.objects.filter(pk__in=pks, is_active=True).order_by("pk")
    wishes = wishes_of(people)
    return [Reader(user, facts.person_of(user.pk), wishes[user.pk]) for user in people]


def wishes_of(users: Iterable[User]) -> dict[int, frozenset[str]]:
    """The kinds of mail that each of these people wants; nobody without an address wants any."""
    people = list(users)
    chosen: dict[int, dict[str, bool]] = {user.pk: {**DEFAULTS} for user in people}
    for said in NoticePreference.objects.filter(user__in=people):
        chosen[said.user_id][said.kind] = said.mail
    return {
        user.pk: frozenset(kind for kind, mail in chosen[user.pk].items() if mail and user.email)
        for user in people
    }


def wanted(user: User) -> set[str]:
    """The kinds of mail that a person has chosen, whether they can be sent or not."""
    said = dict(NoticePreference.objects.filter(user=user).values_list("kind", "mail"))
    return {kind for kind, mail in {**DEFAULTS, **said}.items() if mail}


def choose(user: User, kinds: Iterable[str]) -> None:
    """Keep which kinds of mail a person wants."""
    wanted = set(kinds)
    for kind in NoticeKind.values:
        NoticePreference.objects.update_or_create(user=user, kind=kind, defaults={"mail": kind in wanted})


def may_answer(approval: Approval, person: Person, now: datetime) -> bool:
    """By the rules that judge the answer itself."""
    return rules.refusal(facts.question_of(approval), person, now) is None


def _asked(now: datetime) -> int:
    """Everybody who is asked gets a row, also those who need not be told: then nobody is looked at twice."""
    told = Notice.objects.filter(approval=OuterRef("pk"))
    group_told = Exists(told.filter(kind=NoticeKind.ASKED, audience=OuterRef("group_name")))
    peopled = Group.objects.filter(user__is_active=True).values("name")
    of_group = Q(~group_told, assignee=None, group_name__in=peopled)
    one_told = Exists(told.filter(kind=NoticeKind.PASSED, user=OuterRef("assignee")))
    asked = Approval.objects.open(now).filter(of_group | Q(~one_told, assignee__isnull=False))
    readers: dict[tuple[str, int | None], list[Reader]] = {}
    count = 0
    for batch in _batches(asked):
        rows: list[Notice] = []
        for approval in batch:
            key = approval.group_name, approval.assignee_id
            if key not in readers:
                readers[key] = readers_of(*key, now)
            rows += _rows(approval, readers[key], _kind_of(approval), now)
        count += _write(rows)
    return count


def _stood_in(now: datetime) -> int:
    """Whoever stands in for somebody from now on hears of what waits for them already."""
    begun = Absence.objects.current(now).filter(since__gt=now - LOOK_BACK, substitute__is_active=True)
    return sum(_waiting_for(absence.substitute, now) for absence in begun.select_related("substitute"))


def _waiting_for(user: User, now: datetime) -> int:
    told = Notice.objects.filter(approval=OuterRef("pk"), user=user)
    waiting = Approval.objects.inbox_of(user, now).filter(~Exists(told))
    reader = Reader(user, facts.person_of(user.pk), wishes_of([user])[user.pk])
    return sum(
        _write([row for approval in batch for row in _rows(approval, [reader], _kind_of(approval), now)])
        for batch in _batches(waiting)
    )


def _kind_of(approval: Approval) -> NoticeKind:
    return NoticeKind.PASSED if approval.assignee_id else NoticeKind.ASKED


def _answered(now: datetime) -> int:
    """Starters who want to hear of it, unless it was they who answered."""
    told = Notice.objects.filter(approval=OuterRef("pk"), kind=NoticeKind.DECIDED)
    kind = NoticeKind.DECIDED
    wanting = NoticePreference.objects.filter(kind=kind, mail=True).values("user")
    final = Q(hand_over_at=None) | Q(hand_over_at__lte=now)
    closed = Approval.objects.filter(final, closed_at__gt=now - LOOK_BACK).exclude(verdict="")
    closed = closed.filter(~Exists(told), task__created_by__in=wanting).exclude(
        decided_by=F("task__created_by")
    )
    pairs = closed.values_list("pk", "task__created_by")
    return _write([Notice(approval_id=pk, user_id=user, kind=kind, created_at=now) for pk, user in pairs])


def _rows(
    approval: Approval, readers: Sequence[Reader], kind: str, now: datetime, share: int = 0
) -> list[Notice]:
    rows, question = [], facts.question_of(approval)
    for reader in readers:
        needless = rules.refusal(question, reader.person, now) is not None
        outcome = O.NEEDLESS if needless else "" if kind in reader.wants else O.UNWANTED
        rows.append(
            Notice(
                approval=approval, user=reader.user, kind=kind, share=share, audience=approval.group_name,
                created_at=now, outcome=outcome, settled_at=now if outcome else None,
            )
        )  # fmt: skip
    return rows


def _write(rows: Sequence[Notice]) -> int:
    """Whoever was first has written it; that is no fault."""
    Notice.objects.bulk_create(rows, ignore_conflicts=True, batch_size=BATCH)
    return sum(row.settled_at is None for row in rows)


def _batches(asked: "QuerySet[Approval]") -> Iterable[list[Approval]]:
    last = 0
    asked = asked.select_related("task", "step").prefetch_related("votes")
    while batch := list(asked.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield batch
        last = batch[-1].pk
