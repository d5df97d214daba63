"""What the deciding person changed in an action before agreeing to it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from approvals.cards.comparison import Row, compare
from approvals.cards.fields import label
from approvals.models import Approval


@dataclass(frozen=True)
class Edit:
    """One changed field: its approved value, and its lines from the one asked to the one approved."""

    label: str
    approved: str
    rows: Sequence[Row]


def edits(approval: Approval) -> list[Edit]:
    """The fields in which the approved action is not the one asked; none where it was not edited."""
    asked, approved = approval.payload, approval.sealed[0]
    return [
        _edit(label(approval, name), _text(asked.get(name)), _text(value))
        for name, value in approved.items()
        if value != asked.get(name)
    ]


def _edit(name: str, asked: str, approved: str) -> Edit:
    return Edit(name, approved, compare(asked, approved))


def _text(value: Any) -> str:
    """As a person typed it; anything but text and numbers, as it is stored."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
