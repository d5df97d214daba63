"""How much there is to read before an answer, and which parts of an action no text shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from approvals.models import Approval
from taskboard.money import to_usd

LONG = 3_000
LONG_LINES = 60
FINGERPRINT = re.compile(r"[0-9a-f]{40,128}")


@dataclass(frozen=True)
class Part:
    """One value of the action and the names that lead to it."""

    path: str
    text: str


def unshown(approval: Approval) -> list[Part]:
    """Values that would be executed and stand in none of the texts; fingerprints of files say nothing to people."""
    shown = _texts(approval)
    found = _leaves(_unedited(approval), "")
    return [part for part in found if part.text not in shown and not FINGERPRINT.fullmatch(part.text)]


def length(approval: Approval, parts: Sequence[Part]) -> int:
    """The characters that have to be read."""
    return len(_texts(approval)) + sum(len(part.path) + len(part.text) for part in parts)


def is_long(approval: Approval, parts: Sequence[Part]) -> bool:
    """Whether it cannot be seen at a glance."""
    lines = _texts(approval).count("\n") + sum(1 + part.text.count("\n") for part in parts)
    return length(approval, parts) > LONG or lines > LONG_LINES


def is_bare(approval: Approval) -> bool:
    """Whether the workflow gave nothing that a person could judge it by."""
    described = approval.consequence.strip() or approval.before.strip() or approval.after.strip()
    return not (approval.action.strip() and described and approval.payload)


def _texts(approval: Approval) -> str:
    told = [approval.action, approval.consequence, approval.target, approval.before, approval.after]
    if approval.amount_micro is not None:
        told.append(str(to_usd(approval.amount_micro)))
    return "\n".join([*told, *(str(text) for fact in approval.evidence for text in fact.values())])


def _unedited(approval: Approval) -> Mapping[str, Any]:
    """What an edit left as it was asked; the rest stands with the edit."""
    asked: Mapping[str, Any] = approval.payload
    if approval.decided_payload is None:
        return asked
    return {name: value for name, value in approval.decided_payload.items() if asked.get(name) == value}


def _leaves(value: Any, path: str) -> Iterator[Part]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _leaves(inner, f"{path} {number}".strip())
    else:
        yield Part(path, str(value))
