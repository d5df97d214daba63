"""A sample of many like questions: the most unusual ones and a few at random are answered one by one, then the rest
that keeps to stated bounds is approved together. Whatever falls outside stays in the inbox."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import bulk, facts
from approvals.models import (
    Approval,
    ApprovalKind,
    ApprovalQuerySet,
    ApprovalStatus,
    BulkDecision,
    BulkDecisionRow,
    Outcome,
)
from taskboard.errors import BadInput, NotFound
from taskboard.looks import dollars
from taskboard.models import Task
from taskboard.money import to_micro
from taskboard.numbers import whole

R = BulkDecisionRow.Result
UNUSUAL, AT_RANDOM = 3, 3
FEWEST = 2 * UNUSUAL + AT_RANDOM + 1
"""Fewer than these are answered sooner one by one."""
IMPACT, EDIT, AMOUNT, TEXT = "impact", "edit", "amount", "text"


@dataclass(frozen=True)
class Bound:
    """A limit that can be set: its name in the form, and the largest value that there is."""

    name: str
    label: str
    largest: str


def alike(user: User, task: Task, step: str) -> ApprovalQuerySet:
    """The questions of one kind of action in a task that this person may answer now."""
    asked = Approval.objects.visible_to(user).inbox_of(user, timezone.now())
    return asked.filter(task=task, step_name=step, kind=ApprovalKind.STEP).order_by("pk")


def start(user: User, task: Task, step: str) -> BulkDecision:
    """Draw the sample and write it down. Raises BadInput if there are too few."""
    found = list(
        alike(user, task, step).select_related("task", "step").prefetch_related("votes")[: bulk.MOST]
    )
    person, now = facts.person_of(user.pk), timezone.now()
    why_not = {one.pk: bulk.why_not(one, person, Outcome.APPROVE, now) for one in found}
    fit = [one for one in found if not why_not[one.pk]]
    if len(fit) < FEWEST:
        raise BadInput(
            ngettext(
                "There is %(n)d question of this kind that fits; a sample needs at least %(fewest)d.",
                "There are %(n)d questions of this kind that fit; a sample needs at least %(fewest)d.",
                len(fit),
            )
            % {"n": len(fit), "fewest": FEWEST}
        )
    chosen = draw(fit)
    with transaction.atomic():
        draft = bulk.begin_draft(user, Outcome.APPROVE, sample=True)
        rows = []
        for position, one in enumerate(found, 1):
            told = chosen.get(one.pk, why_not[one.pk])
            result = R.SAMPLED if one.pk in chosen else R.EXCLUDED if told else R.PENDING
            row = BulkDecisionRow(bulk=draft, approval=one, position=position, digest=one.payload_sha256)
            row.result, row.told = result, told
            rows.append(row)
        BulkDecisionRow.objects.bulk_create(rows, batch_size=bulk.AT_ONCE)
    return draft


def draw(asked: Sequence[Approval]) -> dict[int, str]:
    """The questions of the sample, each with why it is in it."""
    chosen: dict[int, str] = {}
    for one in sorted(asked, key=edit_size, reverse=True)[:UNUSUAL]:
        size = edit_size(one)
        told = ngettext("Large edit: %s character", "Large edit: %s characters", size)
        chosen[one.pk] = told % number_format(size)
    counted = [one for one in asked if one.impact is not None and one.pk not in chosen]
    for one in sorted(counted, key=lambda one: one.impact or 0, reverse=True)[:UNUSUAL]:
        chosen[one.pk] = _("High impact: %s") % number_format(one.impact or 0)
    others = [one for one in asked if one.pk not in chosen]
    for one in random.SystemRandom().sample(others, min(AT_RANDOM, len(others))):
        chosen[one.pk] = _("At random")
    return chosen


def edit_size(approval: Approval) -> int:
    """The characters between the first and the last difference, of the text before and the text after together."""
    before, after = approval.before, approval.after
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    tail = next((n for n in range(shorter - head) if before[-1 - n] != after[-1 - n]), shorter - head)
    return len(before) + len(after) - 2 * (head + tail)


def bounds_for(asked: Sequence[Approval]) -> list[Bound]:
    """The limits that make sense for these questions."""
    found = [Bound(EDIT, _("Edit, in characters"), number_format(max(map(edit_size, asked), default=0)))]
    impacts = [one.impact for one in asked if one.impact is not None]
    if impacts:
        found.append(Bound(IMPACT, _("Impact"), number_format(max(impacts))))
    amounts = [one.amount_micro for one in asked if one.amount_micro is not None]
    if amounts:
        found.append(Bound(AMOUNT, _("Amount in USD"), dollars(max(amounts))))
    for name in sorted({name for one in asked for name in _texts(one)}):
        longest = max(len(_texts(one).get(name, "")) for one in asked)
        label = _("Length of “%s”, in characters") % name
        found.append(Bound(f"{TEXT}.{name}", label, number_format(longest)))
    return found


def begin(
    pk: int, user: User, said: Mapping[str, str], *, despite: bool = False, reason: str = ""
) -> BulkDecision:
    """Approve the rest that is under the bounds. Raises BadInput while the sample is not answered, or without bounds,
    or where a part of the sample was not approved and the person does not say that the rest is all right."""
    draft = BulkDecision.objects.filter(pk=pk, by=user, sample=True).first()
    if draft is None:
        raise NotFound(_("There is no such choice of yours (any more). Choose the questions again."))
    state = answers(draft)
    if state["open"]:
        told = ngettext(
            "Answer the questions of the sample first: %(n)d is open.",
            "Answer the questions of the sample first: %(n)d are open.",
            state["open"],
        )
        raise BadInput(told % {"n": state["open"]})
    if state["no"] and not despite:
        raise BadInput(
            _("A part of the sample was not approved. Tick that the rest is to be approved all the same.")
        )
    limits = read_bounds(said)
    if not limits:
        raise BadInput(_("Set at least one limit that the rest has to be under."))
    with transaction.atomic():
        BulkDecision.objects.filter(pk=pk, begun_at=None).update(
            bounds={k: str(v) for k, v in limits.items()}
        )
        _leave_out(draft, limits)
        return bulk.begin(pk, user, reason)


def answers(draft: BulkDecision) -> dict[str, int]:
    """How many of the sample are open, approved, and answered otherwise."""
    sampled = Approval.objects.filter(pk__in=draft.rows.filter(result=R.SAMPLED).values("approval"))
    statuses = list(sampled.values_list("status", flat=True))
    still, yes = statuses.count(ApprovalStatus.OPEN), statuses.count(ApprovalStatus.APPROVED)
    return {"open": still, "yes": yes, "no": len(statuses) - still - yes}


def read_bounds(said: Mapping[str, str]) -> dict[str, Decimal]:
    """The limits that a form sets, by name; raises BadInput for text that is not a number."""
    limits = {}
    for name, text in said.items():
        kind = name.partition(".")[0]
        if kind not in (IMPACT, EDIT, AMOUNT, TEXT) or not text.strip():
            continue
        if kind == AMOUNT:
            limits[name] = Decimal(to_micro(text.strip(), name))
        elif (limit := whole(text.strip())) is not None:
            limits[name] = Decimal(limit)
        else:
            raise BadInput(_("Write each limit as a whole number."))
    return limits


def outside(approval: Approval, limits: Mapping[str, Decimal]) -> str:
    """Which limit this question is not under; empty if it is under all. What cannot be measured is not under it."""
    for name, limit in limits.items():
        value = _measure(approval, name)
        if value is None:
            return _("%(name)s cannot be measured here") % {"name": name.removeprefix(f"{TEXT}.")}
        if value >= limit:
            shown = (dollars(value), dollars(int(limit))) if name == AMOUNT else (value, limit)
            told = {"name": name.removeprefix(f"{TEXT}."), "value": shown[0], "limit": shown[1]}
            return _("%(name)s is %(value)s, not under %(limit)s") % told
    return ""


def _leave_out(draft: BulkDecision, limits: Mapping[str, Decimal]) -> None:
    rows = draft.rows.filter(result=R.PENDING).select_related("approval")
    changed = []
    for row in rows.iterator(chunk_size=bulk.AT_ONCE):
        if told := outside(row.approval, limits):
            row.result, row.told = R.EXCLUDED, told
            changed.append(row)
    BulkDecisionRow.objects.bulk_update(changed, ["result", "told"], batch_size=bulk.AT_ONCE)


def _measure(approval: Approval, name: str) -> int | None:
    kind, _dot, field = name.partition(".")
    if kind == TEXT:
        text = _texts(approval).get(field)
        return None if text is None else len(text)
    return {IMPACT: approval.impact, EDIT: edit_size(approval), AMOUNT: approval.amount_micro}[kind]


def _texts(approval: Approval) -> dict[str, str]:
    """The texts of the action that a person could edit: those are what is proposed."""
    payload: Mapping[str, Any] = approval.payload
    return {name: payload[name] for name in approval.editable if isinstance(payload.get(name), str)}
