"""The question that took the place of another, or that came of a request for changes, and what is different in it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from approvals.cards.comparison import Row, compare
from approvals.models import Approval, ApprovalStatus

LONGEST_CHAIN = 100


@dataclass(frozen=True)
class Replacement:
    """The newest question of a chain; `rows` are the lines that are not the same as before."""

    approval: Approval
    rows: Sequence[Row]


@dataclass(frozen=True)
class Former:
    """The question in which somebody asked for changes; `rows` are the lines that are not the same any more."""

    approval: Approval
    rows: Sequence[Row]
    same_action: bool


def replacement(approval: Approval) -> Replacement | None:
    """What stands in for this question now, or None while it stands for itself."""
    last, newest = approval.pk, None
    for _turn in range(LONGEST_CHAIN):
        found = Approval.objects.filter(predecessor=last).first()
        if found is None:
            break
        newest, last = found, found.pk
    if newest is None:
        return None
    return Replacement(newest, _differences(approval, newest))


def former(approval: Approval) -> Former | None:
    """Where this question comes of a request for changes; one that lapsed or was void in between is passed over."""
    before = approval.predecessor
    for _turn in range(LONGEST_CHAIN):
        if before is None or before.status not in (ApprovalStatus.EXPIRED, ApprovalStatus.VOID):
            break
        before = before.predecessor
    if before is None or before.status != ApprovalStatus.CHANGES_REQUESTED:
        return None
    same = before.payload_sha256 == approval.payload_sha256
    return Former(before, _differences(before, approval), same)


def _differences(old: Approval, new: Approval) -> list[Row]:
    return [row for row in compare(_told(old), _told(new)) if row.kind != "same"]


def _told(approval: Approval) -> str:
    """All that a person goes by, and the action itself."""
    action = json.dumps(approval.payload, indent=1, sort_keys=True, ensure_ascii=False)
    return "\n".join([approval.action, approval.consequence, approval.target, approval.after, action])
