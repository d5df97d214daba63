"""One answer to many questions: chosen on the server, confirmed with what is left out and why, then carried out in
the background, each by the same rules as a single answer."""

import time
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from approvals import decisions, facts, rules, trail
from approvals.models import (
    Approval,
    ApprovalQuerySet,
    BulkDecision,
    BulkDecisionRow,
    Handling,
    Outcome,
    Vote,
)
from approvals.rights import DECIDE
from approvals.rules import Doing
from taskboard import hints, origin, sentences
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotAllowed, NotFound, TaskboardError, WrongState

R = BulkDecisionRow.Result
NEEDS_REASON: Mapping[str, StrOrPromise] = {
    Outcome.REJECT: gettext_lazy("Say why you reject these: each of them keeps the reason."),
    Outcome.CHANGES: gettext_lazy("Say what should be changed: the steps that made these proposals read it."),
}
MOST = 20_000
AT_ONCE = 500
SLICE = 0.5
"""Seconds after which a worker hands over to the next message: single decisions share its queue."""
LEASE = timedelta(seconds=30)
DRAFT_LASTS = timedelta(days=1)
PAUSE = 0.002
"""Between two answers on SQLite, whose lock is unfair."""


def choose(user: User, outcome: str, chosen: ApprovalQuerySet) -> BulkDecision:
    """Write down which questions are meant, as they are now, and which of them are left out and why. Nothing is
    answered yet. Raises BadInput if there are none or too many."""
    _require(user)
    if outcome not in Outcome:
        raise BadInput(_("Choose whether to approve or reject these questions, or to ask for changes."))
    number = chosen.count()
    if not number:
        raise BadInput(_("Tick some questions first, or all that match. None of them is there (any more)."))
    if number > MOST:
        raise BadInput(
            _("These are %(n)d questions; at most %(most)d can be answered at once. Narrow the list first.")
            % {"n": number, "most": MOST}
        )
    with transaction.atomic():
        draft = begin_draft(user, outcome)
        for rows in _rows(draft, user, chosen):
            BulkDecisionRow.objects.bulk_create(rows)
    return draft


def begin_draft(user: User, outcome: str, *, sample: bool = False) -> BulkDecision:
    """An empty choice; what this person chose and never confirmed goes."""
    now = timezone.now()
    old = BulkDecision.objects.filter(by=user, begun_at=None, created_at__lt=now - DRAFT_LASTS)
    old.delete()
    return BulkDecision.objects.create(
        outcome=outcome, by=user, by_name=user.get_username(), created_at=now, sample=sample
    )


def begin(pk: int, user: User, reason: str = "") -> BulkDecision:
    """The person has confirmed; a worker does it. Raises BadInput without a reason for a no."""
    _require(user)
    draft = BulkDecision.objects.filter(pk=pk, by=user).first()
    if draft is None:
        raise NotFound(_("There is no such choice of yours (any more). Choose the questions again."))
    if draft.sample and not draft.bounds:
        raise WrongState(_("Answer its sample first, then say under which limits the rest may be approved."))
    reason = clean_text(reason.strip(), trail.LONGEST_REASON)
    if draft.outcome in NEEDS_REASON and not reason:
        raise BadInput(str(NEEDS_REASON[draft.outcome]), "reason")
    total = draft.rows.filter(result=R.PENDING).count()
    if not total:
        raise BadInput(_("None of these questions can be answered by you."))
    fields = {"begun_at": timezone.now(), "reason": reason, "total": total, "address": origin.address()}
    if not BulkDecision.objects.filter(pk=pk, begun_at=None).update(**fields):
        raise WrongState(_("You have confirmed this already; it is being done."))
    hints.soon("approvals.bulk", pk, queue="short")
    draft.refresh_from_db()
    return draft


def cancel(bulk: BulkDecision, user: User) -> None:
    """Nothing more is answered; what was answered stays answered."""
    _require(user)
    now = timezone.now()
    if not _unfinished(bulk.pk).update(cancelled_at=now, finished_at=now):
        raise WrongState(_("This is over already; there is nothing left to cancel."))


def carry_on(pk: int, seconds: float = SLICE) -> None:
    """One slice, if no other worker is at it; then the next message goes on."""
    bulk = _taken(pk)
    if bulk is None:
        return
    try:
        with origin.coming_from(bulk.address):
            over = _work(bulk, time.monotonic() + seconds)
    except NotFound:  # cancelled meanwhile
        return
    if over:
        _unfinished(pk).update(finished_at=timezone.now(), busy_until=None)
    elif _unfinished(pk).update(busy_until=None):
        hints.soon("approvals.bulk", pk, queue="short")


def abandoned(now: datetime) -> list[int]:
    """Those that no worker is at."""
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    begun = BulkDecision.objects.filter(free, finished_at=None, begun_at__isnull=False)
    return list(begun.values_list("pk", flat=True))


def why_not(approval: Approval, person: rules.Person, outcome: str, now: datetime) -> str:
    """Why this question is not among those that are answered together; empty if it is."""
    doing = decisions.DOING.get(outcome, Doing.DECIDE)
    refused = rules.refusal(facts.question_of(approval), person, now, doing)
    return refused.message if refused else ""


def _rows(draft: BulkDecision, user: User, chosen: ApprovalQuerySet) -> Iterator[list[BulkDecisionRow]]:
    person, now = facts.person_of(user.pk), timezone.now()
    pks = list(chosen.values_list("pk", flat=True))
    asked = Approval.objects.select_related("task", "step").prefetch_related("votes")
    for start in range(0, len(pks), AT_ONCE):
        some = pks[start : start + AT_ONCE]
        found = asked.in_bulk(some)
        rows = []
        for position, pk in enumerate(some, start + 1):
            told = why_not(found[pk], person, draft.outcome, now)
            row = BulkDecisionRow(bulk=draft, approval=found[pk], position=position, told=told)
            row.digest, row.result = found[pk].payload_sha256, R.EXCLUDED if told else R.PENDING
            rows.append(row)
        yield rows


def _work(bulk: BulkDecision, until: float) -> bool:
    """Question by question until the time is over; True when there is none left."""
    while True:
        left = bulk.rows.filter(result=R.PENDING, position__gt=bulk.cursor)
        batch = list(left.order_by("position")[:50])
        if not batch:
            return True
        for row in batch:
            if not _may(bulk):
                return True
            _one(bulk, row)
            if time.monotonic() > until:
                return False


def _one(bulk: BulkDecision, row: BulkDecisionRow) -> None:
    """The answer and its result in one transaction. Raises NotFound, and undoes it, if it was cancelled."""
    with transaction.atomic():
        result, told = _answer(bulk, row)
        lease = {"cursor": row.position, "busy_until": timezone.now() + LEASE}
        if not _unfinished(bulk.pk).update(**lease, **{str(result): F(str(result)) + 1}):
            raise NotFound("This is over.")
        BulkDecisionRow.objects.filter(pk=row.pk).update(result=result, told=clean_text(told, 1000))
    bulk.cursor = row.position
    if connection.vendor == "sqlite":
        time.sleep(PAUSE)


def _answer(bulk: BulkDecision, row: BulkDecisionRow) -> tuple[BulkDecisionRow.Result, str]:
    user = bulk.by
    if user is None:
        raise NotFound("The person who asked for this is gone.")
    try:
        decided = decisions.decide(row.approval_id, user, bulk.outcome, bulk.reason, row.digest, proofs=())
    except TaskboardError as error:
        return R.REFUSED, error.message
    said = Vote.objects.filter(approval=decided, user=user, counts=True).latest("pk")
    Handling.objects.create(vote=said, way=Handling.Way.BULK)
    return R.DONE, str(decided.get_status_display())


def _may(bulk: BulkDecision) -> bool:
    """Whoever asked for it must still be there, with the right to it."""
    user = User.objects.filter(pk=bulk.by_id, is_active=True).first() if bulk.by_id else None
    if user is not None and user.has_perm(DECIDE):
        bulk.by = user
        return True
    why = sentences.NO_RIGHT(name=bulk.by_name)
    _unfinished(bulk.pk).update(stopped_why=why)
    return False


def _require(user: User) -> None:
    if not user.has_perm(DECIDE):
        raise NotAllowed(_("You do not have the right to decide questions."))


def _unfinished(pk: int) -> "QuerySet[BulkDecision]":
    return BulkDecision.objects.filter(pk=pk, finished_at=None, begun_at__isnull=False)


def _taken(pk: int) -> BulkDecision | None:
    """The choice, leased to this worker; None if another one has it or it is over."""
    now = timezone.now()
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    if not _unfinished(pk).filter(free).update(busy_until=now + LEASE):
        return None
    return BulkDecision.objects.select_related("by").get(pk=pk)
