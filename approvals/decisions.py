"""The one writer of an approval's status: ask, decide, take back, expire, withdraw, void."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from approvals import asking, facts, handover, policy, rules, trail
from approvals.editing import edited_action
from approvals.errors import AlreadyDecided, Changed
from approvals.models import Approval, ApprovalStatus, Event, Outcome, Vote
from approvals.models.statuses import STATUS_OF
from approvals.rules import Doing, Proof
from approvals.telling import reminders
from approvals.trail import LONGEST_REASON as LONGEST_REASON
from approvals.trail import record
from taskboard import hints, origin, sentences
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput
from taskboard.lifecycle import changing
from taskboard.models import Kind
from taskboard.seal import sha256_of

A = ApprovalStatus
MOVES: Mapping[str, set[ApprovalStatus]] = {
    A.OPEN: {A.APPROVED, A.REJECTED, A.CHANGES_REQUESTED, A.EXPIRED, A.WITHDRAWN, A.VOID},
    A.APPROVED: {A.OPEN, A.VOID},
    A.REJECTED: {A.OPEN},
    A.CHANGES_REQUESTED: {A.OPEN},
    A.EXPIRED: {A.VOID},
    A.WITHDRAWN: set(),
    A.VOID: set(),
}
LONGEST_RIGHT = 200
DOING: Mapping[str, Doing] = {Outcome.APPROVE: Doing.APPROVE, Outcome.CHANGES: Doing.CHANGES}
"""What the rules call these answers; any other one is plainly deciding."""
ON_EXPIRY = {"approve": Outcome.APPROVE, "reject": Outcome.REJECT}
UNDECIDED: Mapping[str, Any] = {
    "closed_at": None, "decided_at": None, "decided_by_id": None, "decided_by_name": "", "decided_with": "",
    "reason": "", "decided_payload": None, "decided_sha256": "", "verdict": "", "hand_over_at": None,
}  # fmt: skip
NEEDS_REASON: Mapping[str, StrOrPromise] = {
    Outcome.REJECT: gettext_lazy(
        "Say why you reject this: the reason is shown to the people who wait for it."
    ),
    Outcome.CHANGES: gettext_lazy("Say what should be changed: the step that makes the proposal reads it."),
}


def open_question(change: Change, approval: Approval, predecessor: Approval | None = None) -> Approval:
    """Store a question made by `asking`."""
    approval.predecessor = predecessor
    approval.save(force_insert=True)
    reminders.plan(approval)
    data: dict[str, Any] = {"action": approval.action, "group": approval.group_name}
    if predecessor is not None:
        data["instead_of"] = predecessor.pk
    record(change, Kind.ASKED, approval, to=approval.step.status if approval.step else "", **data)
    return approval


def decide(
    approval_id: int,
    user: AbstractBaseUser,
    outcome: str,
    reason: str = "",
    digest: str = "",
    edited: Mapping[str, Any] | None = None,
    *,
    proofs: Iterable[Proof] = (Proof.CONFIRMED,),
    undo_seconds: int = 0,
) -> Approval:
    """One person's answer. `digest` is that of the action which the person was shown, so who calls this names the
    action itself; that a long text was read needs its own proof. For `undo_seconds` it can be taken back. Raises
    AlreadyDecided, Expired, Changed, NotAllowed or BadInput, each with a sentence; then nothing is stored."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval = trail.read(approval_id)
        doing = DOING.get(outcome, Doing.DECIDE)
        person = trail.allowed(change, approval, user.pk, doing, proofs)
        if intact := sha256_of(approval.payload) == approval.payload_sha256:
            said = _checked(approval, outcome, reason, digest)
            _answer(change, approval, person, said, edited, undo_seconds)
        else:
            _void_and_ask_again(change, approval)
    if not intact:
        raise Changed(_("The stored action no longer fits its seal. It is void, and will be asked again."))
    return approval


def take_back(approval_id: int, user: AbstractBaseUser) -> Approval:
    """The person who answered changes their mind, before the answer was handed over: the question is open again."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval = trail.read(approval_id)
        person = trail.allowed(change, approval, user.pk, Doing.TAKE_BACK)
        outcome, reason = approval.verdict, approval.reason
        if _asked_meanwhile(approval) or not _reopen(approval):
            raise AlreadyDecided(facts.closed_how(trail.read(approval_id)))
        Vote.objects.filter(approval=approval, user=person.id, counts=True).update(counts=False)
        trail.add(change, approval, person, Event.What.TAKEN_BACK, reason, outcome=outcome)
        record(change, Kind.PERSON, approval, did="take back answer", outcome=outcome, reason=reason)
    return approval


def expire(change: Change, approval: Approval) -> bool:
    """Close a question whose time is over. It goes to the group named for that, unless its policy says what
    no answer means; False if somebody was first."""
    verdict = ON_EXPIRY.get(approval.policy.get("on_expiry", ""), "")
    if not _close(change, approval, A.EXPIRED, Q(expires_at__lte=change.now), verdict=verdict):
        return False
    record(change, Kind.EXPIRED, approval, then=verdict or "escalate")
    if verdict:
        hints.soon("approvals.pick_up", approval.pk, queue="short")
    else:
        following = open_question(change, asking.successor(change, approval), predecessor=approval)
        Vote.objects.bulk_create(asking.earlier_votes(approval, following))
    return True


def withdraw(change: Change, approvals: Iterable[Approval], reason: str) -> int:
    """Take questions back that nobody needs to answer any more."""
    closed = [a for a in approvals if _close(change, a, A.WITHDRAWN, reason=clean_text(reason))]
    for approval in closed:
        record(change, Kind.WITHDRAWN, approval, reason=reason)
    return len(closed)


def withdraw_one(approval_id: int, user: AbstractBaseUser, reason: str) -> Approval:
    """The one who started the task, or an operator, does without an answer: the step ends without running."""
    with changing(trail.task_of(approval_id), user.get_username()) as change:
        approval = trail.read(approval_id)
        person = trail.allowed(change, approval, user.pk, Doing.WITHDRAW)
        why = trail.words(reason, _("Say why nobody needs to answer this any more."))
        if not _close(change, approval, A.WITHDRAWN, reason=why, decided_by_name=person.name):
            raise AlreadyDecided(facts.closed_how(trail.read(approval_id)))
        told = sentences.WITHDRAWN(who=person.name, why=why)
        trail.add(change, approval, person, Event.What.WITHDRAWN, why)
        record(change, Kind.WITHDRAWN, approval, to=handover.end(change, approval, told), reason=why)
    return approval


def void(change: Change, approval: Approval, reason: str) -> bool:
    """What was asked, or even agreed to, is not what would be done now."""
    if not _close(change, approval, A.VOID, reason=approval.reason or clean_text(reason)):
        return False
    record(change, Kind.VOID, approval, reason=reason)
    return True


def restore(approvals: Iterable[Approval]) -> None:
    """Questions of an imported document, in the status that it says."""
    Approval.objects.bulk_create(list(approvals))


def _answer(
    change: Change, approval: Approval, person: rules.Person, said: Vote,
    edited: Mapping[str, Any] | None, undo_seconds: int,
) -> None:  # fmt: skip
    """The vote, and what it means: a verdict, the turn of the next group, or nothing yet."""
    action = edited_action(approval, change.task, edited) if said.outcome == Outcome.APPROVE else None
    sha256 = sha256_of(action) if action is not None else approval.payload_sha256
    said.user_id, said.user_name, said.at, said.digest = person.id, person.name, change.now, sha256
    said.stage, said.address = approval.stage, origin.address()
    said.given_with = rules.right_of(facts.question_of(approval), person)[:LONGEST_RIGHT]
    said.save(force_insert=True)
    voices = Vote.objects.filter(
        approval=approval, counts=True, stage=approval.stage, outcome=said.outcome
    ).count()
    means = policy.meaning(approval.policy, approval.stages, approval.stage, said.outcome, voices)
    told: dict[str, Any] = {"voices": voices, "needed": approval.needed, "decides": means in STATUS_OF}
    if means == policy.NEXT:
        told["next"] = _ask_next_group(change, approval)
    elif means:
        _decided(change, approval, said, action, undo_seconds)
    record(change, Kind.DECIDED, approval, outcome=said.outcome, reason=said.reason, decided=sha256, **told)


def _ask_next_group(change: Change, approval: Approval) -> str:
    """Enough of one group have agreed: the next one has a window of its own."""
    stage = approval.stage + 1
    group = str(approval.stages[stage]["group"])
    times = {**asking.times(change.now, approval.policy), "requested_at": approval.requested_at}
    nobody = {"assignee_id": None, "assignee_name": "", "passed_on_by_id": None}
    fields = {"stage": stage, "group_name": group, **nobody, **times}
    Approval.objects.filter(pk=approval.pk, status=A.OPEN).update(**fields)
    for name, value in fields.items():
        setattr(approval, name, value)
    reminders.plan(approval)
    trail.add(change, approval, None, Event.What.NEXT_STAGE, group)
    return group


def _decided(
    change: Change, approval: Approval, said: Vote, action: dict[str, Any] | None, undo_seconds: int
) -> None:
    in_time = Q(expires_at=None) | Q(expires_at__gt=change.now)
    fields = {
        "decided_at": change.now, "decided_by_id": said.user_id, "decided_by_name": said.user_name,
        "decided_with": said.given_with, "reason": said.reason, "decided_payload": action,
        "decided_sha256": said.digest, "verdict": said.outcome,
        "hand_over_at": change.now + timedelta(seconds=undo_seconds) if undo_seconds else None,
    }  # fmt: skip
    if not _close(change, approval, STATUS_OF[Outcome(said.outcome)], in_time, **fields):
        raise AlreadyDecided(facts.closed_how(trail.read(approval.pk)))
    if undo_seconds:
        hints.later(undo_seconds, "approvals.pick_up", approval.pk, queue="short")
    else:
        hints.soon("approvals.pick_up", approval.pk, queue="short")


def _checked(approval: Approval, outcome: str, reason: str, digest: str) -> Vote:
    if outcome not in Outcome:
        raise BadInput(_("Answer with approve or reject, or ask for changes."), "outcome")
    if digest != approval.payload_sha256:
        raise Changed(_("The question changed after this page was opened; read it again."))
    if outcome in NEEDS_REASON:
        reason = trail.words(reason, str(NEEDS_REASON[outcome]))
    return Vote(approval=approval, outcome=outcome, reason=clean_text(reason.strip(), LONGEST_REASON))


def _void_and_ask_again(change: Change, approval: Approval) -> None:
    void(change, approval, sentences.UNSEALED())
    handover.ask_again(change, approval)


def _close(
    change: Change, approval: Approval, to: ApprovalStatus, guard: Q | None = None, **fields: Any
) -> bool:
    """The conditional UPDATE: only one of two at the same moment finds the row as it expects it."""
    return _move(approval, to, guard or Q(), {"closed_at": change.now, **fields})


def _reopen(approval: Approval) -> bool:
    """Only what nobody has handed over yet."""
    return _move(approval, A.OPEN, Q(picked_up_at=None, hand_over_at__isnull=False), UNDECIDED)


def _move(approval: Approval, to: ApprovalStatus, guard: Q, fields: Mapping[str, Any]) -> bool:
    if to not in MOVES[approval.status]:
        return False
    rows = Approval.objects.filter(guard, pk=approval.pk, status=approval.status)
    values = {"status": to, **fields}
    if not rows.update(**values):
        return False
    for name, value in values.items():
        setattr(approval, name, value)
    return True


def _asked_meanwhile(approval: Approval) -> bool:
    """Whether another question took its place, as one about the budget may."""
    others = Approval.objects.filter(
        task=approval.task_id, kind=approval.kind, step=approval.step_id, status=A.OPEN
    )
    return others.exists()
