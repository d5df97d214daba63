"""The one writer of an approval's status: ask, decide, expire, withdraw, void."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Q
from django.utils.translation import gettext as _

from approvals import asking, facts, handover, rules
from approvals.editing import edited_action
from approvals.errors import AlreadyDecided, Changed, ReasonMissing
from approvals.models import Approval, ApprovalStatus, Outcome, Vote
from taskboard import hints
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound
from taskboard.lifecycle import changing
from taskboard.models import Kind
from taskboard.seal import sha256_of

A = ApprovalStatus
MOVES: Mapping[str, set[ApprovalStatus]] = {
    A.OPEN: {A.APPROVED, A.REJECTED, A.CHANGES_REQUESTED, A.EXPIRED, A.WITHDRAWN, A.VOID},
    A.APPROVED: {A.VOID},
    A.REJECTED: set(),
    A.CHANGES_REQUESTED: set(),
    A.EXPIRED: {A.VOID},
    A.WITHDRAWN: set(),
    A.VOID: set(),
}
STATUS_OF = {Outcome.APPROVE: A.APPROVED, Outcome.REJECT: A.REJECTED}
ON_EXPIRY = {"approve": Outcome.APPROVE, "reject": Outcome.REJECT}
LONGEST_REASON = 10_000


def open_question(change: Change, approval: Approval, predecessor: Approval | None = None) -> Approval:
    """Store a question made by `asking`."""
    approval.predecessor = predecessor
    approval.save(force_insert=True)
    data: dict[str, Any] = {"action": approval.action, "group": approval.group_name}
    if predecessor is not None:
        data["instead_of"] = predecessor.pk
    _record(change, Kind.ASKED, approval, to=approval.step.status if approval.step else "", **data)
    return approval


def decide(
    approval_id: int,
    user: AbstractBaseUser,
    outcome: str,
    reason: str = "",
    digest: str = "",
    edited: Mapping[str, Any] | None = None,
) -> Approval:
    """One person's answer. `digest` is that of the action which the person was shown. Raises AlreadyDecided,
    Expired, Changed, NotAllowed or BadInput, each with a sentence; then nothing is stored."""
    with changing(_task_of(approval_id), user.get_username()) as change:
        approval = _read(approval_id)
        person = facts.person_of(user.pk)
        if refused := rules.refusal(facts.question_of(approval), person, change.now):
            raise refused
        if intact := sha256_of(approval.payload) == approval.payload_sha256:
            _answer(change, approval, person, _checked(approval, outcome, reason, digest), edited)
        else:
            _void_and_ask_again(change, approval)
    if not intact:
        raise Changed(_("The stored action no longer fits its seal. It is void, and will be asked again."))
    return approval


def expire(change: Change, approval: Approval) -> bool:
    """Close a question whose time is over. It goes to the group named for that, unless its policy says what
    no answer means; False if somebody was first."""
    verdict = ON_EXPIRY.get(approval.policy.get("on_expiry", ""), "")
    if not _close(change, approval, A.EXPIRED, Q(expires_at__lte=change.now), verdict=verdict):
        return False
    _record(change, Kind.EXPIRED, approval, then=verdict or "escalate")
    if verdict:
        hints.soon("approvals.pick_up", approval.pk, queue="short")
    else:
        open_question(change, asking.successor(change, approval), predecessor=approval)
    return True


def withdraw(change: Change, approvals: Iterable[Approval], reason: str) -> int:
    """Take questions back that nobody needs to answer any more."""
    closed = [a for a in approvals if _close(change, a, A.WITHDRAWN, reason=clean_text(reason))]
    for approval in closed:
        _record(change, Kind.WITHDRAWN, approval, reason=reason)
    return len(closed)


def void(change: Change, approval: Approval, reason: str) -> bool:
    """What was asked, or even agreed to, is not what would be done now."""
    if not _close(change, approval, A.VOID, reason=approval.reason or clean_text(reason)):
        return False
    _record(change, Kind.VOID, approval, reason=reason)
    return True


def restore(approvals: Iterable[Approval]) -> None:
    """Questions of an imported document, in the status that it says."""
    Approval.objects.bulk_create(list(approvals))


def _answer(
    change: Change, approval: Approval, person: rules.Person, said: Vote, edited: Mapping[str, Any] | None
) -> None:
    """The vote, and the decision if it is the one that was missing: a single no decides."""
    action = edited_action(approval, change.task, edited) if said.outcome == Outcome.APPROVE else None
    sha256 = sha256_of(action) if action is not None else approval.payload_sha256
    said.user_id, said.user_name, said.at, said.digest = person.id, person.name, change.now, sha256
    said.save(force_insert=True)
    voices = Vote.objects.filter(approval=approval, counts=True, outcome=Outcome.APPROVE).count()
    decides = said.outcome == Outcome.REJECT or voices >= approval.needed
    if decides:
        _decided(change, approval, said, action)
    _record(
        change, Kind.DECIDED, approval, outcome=said.outcome, reason=said.reason, decided=sha256,
        decides=decides, voices=voices, needed=approval.needed,
    )  # fmt: skip


def _decided(change: Change, approval: Approval, said: Vote, action: dict[str, Any] | None) -> None:
    in_time = Q(expires_at=None) | Q(expires_at__gt=change.now)
    fields = {
        "decided_at": change.now, "decided_by_id": said.user_id, "decided_by_name": said.user_name,
        "decided_with": _("member of %s") % approval.group_name, "reason": said.reason,
        "decided_payload": action, "decided_sha256": said.digest, "verdict": said.outcome,
    }  # fmt: skip
    if not _close(change, approval, STATUS_OF[Outcome(said.outcome)], in_time, **fields):
        raise AlreadyDecided(facts.closed_how(_read(approval.pk)))
    hints.soon("approvals.pick_up", approval.pk, queue="short")


def _checked(approval: Approval, outcome: str, reason: str, digest: str) -> Vote:
    if outcome not in Outcome:
        raise BadInput(_("Answer with approve or reject."), "outcome")
    if digest != approval.payload_sha256:
        raise Changed(_("The question changed after this page was opened; read it again."))
    reason = clean_text(reason.strip(), LONGEST_REASON)
    if outcome == Outcome.REJECT and not reason:
        raise ReasonMissing(_("Say why you reject this: the reason is shown to the people who wait for it."))
    return Vote(approval=approval, outcome=outcome, reason=reason)


def _void_and_ask_again(change: Change, approval: Approval) -> None:
    void(change, approval, _("The stored action no longer fits its seal."))
    handover.ask_again(change, approval)


def _close(
    change: Change, approval: Approval, to: ApprovalStatus, guard: Q | None = None, **fields: Any
) -> bool:
    """The conditional UPDATE: only one of two at the same moment finds the row as it expects it."""
    if to not in MOVES[approval.status]:
        return False
    rows = Approval.objects.filter(guard or Q(), pk=approval.pk, status=approval.status)
    fields = {"status": to, "closed_at": change.now, **fields}
    if not rows.update(**fields):
        return False
    for name, value in fields.items():
        setattr(approval, name, value)
    return True


def _task_of(approval_id: int) -> int:
    task_pk = Approval.objects.filter(pk=approval_id).values_list("task_id", flat=True).first()
    if task_pk is None:
        raise NotFound(_("There is no such question, or it is gone."))
    return task_pk


def _read(approval_id: int) -> Approval:
    """Under the task's lock: what is read here stays true until the transaction ends."""
    return Approval.objects.select_related("task", "step").prefetch_related("votes").get(pk=approval_id)


def _record(change: Change, kind: Kind, approval: Approval, to: str = "", **data: Any) -> None:
    told = {"approval": approval.pk, "digest": approval.payload_sha256, **data, **({"to": to} if to else {})}
    attempt = approval.step.attempt if approval.step else 0
    change.record(kind, item=approval.item_key, step=approval.step_name, attempt=attempt, data=told)
