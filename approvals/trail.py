"""A question under its task's lock, and what is written down of it: journal row and trail."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from approvals import facts, rules
from approvals.errors import ReasonMissing
from approvals.models import Approval, Event
from approvals.rules import Doing, Person, Proof
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import NotFound
from taskboard.models import Kind

LONGEST_REASON = 10_000


def task_of(approval_id: int) -> int:
    task_pk = Approval.objects.filter(pk=approval_id).values_list("task_id", flat=True).first()
    if task_pk is None:
        raise NotFound(_("There is no such question, or it is gone."))
    return task_pk


def read(approval_id: int) -> Approval:
    """Under the task's lock: what is read here stays true until the transaction ends."""
    found = Approval.objects.select_related("task", "step").prefetch_related("votes").filter(pk=approval_id)
    approval = found.first()
    if approval is None:
        raise NotFound(_("There is no such question, or it is gone."))
    return approval


def allowed(
    change: Change,
    approval: Approval,
    user_pk: int,
    doing: Doing = Doing.DECIDE,
    proofs: Iterable[Proof] = (),
) -> Person:
    """The person, as they are at this moment; raises why they may not."""
    person = replace(facts.person_of(user_pk), proofs=frozenset(proofs))
    if refused := rules.refusal(facts.question_of(approval), person, change.now, doing):
        raise refused
    return person


def words(text: str, question: str) -> str:
    """What a person wrote; raises ReasonMissing with the question if it is empty."""
    clean = clean_text(text.strip(), LONGEST_REASON)
    if not clean:
        raise ReasonMissing(question)
    return clean


def add(
    change: Change, approval: Approval, person: Person | None, what: str, text: str = "", **data: Any
) -> None:
    """One more line of the question's own trail."""
    Event.objects.create(
        approval=approval, what=what, at=change.now, by_id=person.id if person else None,
        by_name=person.name if person else "", text=text, data=data,
    )  # fmt: skip


def record(change: Change, kind: Kind, approval: Approval, to: str = "", **data: Any) -> None:
    """The journal row; `to` is what the step has become."""
    told = {"approval": approval.pk, "digest": approval.payload_sha256, **data, **({"to": to} if to else {})}
    attempt = approval.step.attempt if approval.step else 0
    change.record(kind, item=approval.item_key, step=approval.step_name, attempt=attempt, data=told)
