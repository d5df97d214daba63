"""The question that took the place of another, and what is different in it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from approvals.comparison import Row, compare
from approvals.models import Approval

LONGEST_CHAIN = 100


@dataclass(frozen=True)
class Replacement:
    """The newest question of a chain; `rows` are the lines that are not the same as before."""

    approval: Approval
    rows: Sequence[Row]


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
    rows = compare(_told(approval), _told(newest))
    return Replacement(newest, [row for row in rows if row.kind != "same"])


def _told(approval: Approval) -> str:
    """All that a person goes by, and the action itself."""
    action = json.dumps(approval.payload, indent=1, sort_keys=True, ensure_ascii=False)
    return "\n".join([approval.action, approval.consequence, approval.target, approval.after, action])
