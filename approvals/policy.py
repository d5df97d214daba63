"""What a policy comes to: the groups that are asked, what an answer means, when to remind. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from approvals.models import Outcome, PolicyOverride
from taskboard.money import to_micro
from taskboard.outcomes import Above, Policy, Stage
from taskboard.seal import sha256_of

LONGEST_WINDOW = timedelta(days=30)
NEXT = "next"
"""Enough have agreed; the next group is asked."""


def as_json(policy: Policy, amount_micro: int | None) -> dict[str, Any]:
    """The policy as the question keeps it: with the groups that this amount asks for."""
    stages = [Stage(policy.group, policy.needed), *policy.then, *_added(policy, amount_micro)]
    return {
        "group": policy.group,
        "needed": policy.needed,
        "stages": [{"group": stage.group, "needed": max(1, stage.needed)} for stage in stages],
        "above": [{"usd": str(one.usd), "group": one.group, "needed": one.needed} for one in policy.above],
        "veto": policy.veto,
        "starter_may_decide": policy.starter_may_decide,
        "window": int(min(policy.window, LONGEST_WINDOW).total_seconds()),
        "remind_at": sorted({share for share in policy.remind_at if 0 < share < 100}),
        "on_expiry": policy.on_expiry,
        "escalate_to": policy.escalate_to,
    }


def version(told: Mapping[str, Any]) -> str:
    """The digest under which a question keeps its policy."""
    return sha256_of(dict(told))


def overridden(policy: Policy, by: PolicyOverride) -> Policy:
    """The workflow's policy with what an administrator said instead."""
    said: dict[str, Any] = {
        name: value
        for name in ("group", "needed", "veto", "starter_may_decide", "on_expiry", "escalate_to")
        if (value := getattr(by, name)) not in (None, "")
    }
    if by.window_hours:
        said["window"] = timedelta(hours=by.window_hours)
    if by.then_group:
        said["then"] = (Stage(by.then_group, by.then_needed),)
    if by.above_usd is not None and by.above_group:
        said["above"] = (Above(by.above_usd, by.above_group),)
    return replace(policy, **said)


def escalated(told: Mapping[str, Any], stage: int, group: str) -> dict[str, Any]:
    """The same policy, with another group in the place of the one that did not answer."""
    stages = [dict(one) for one in told.get("stages") or [{"group": group, "needed": told.get("needed", 1)}]]
    stages[stage]["group"] = group
    return {**told, "group": stages[0]["group"], "stages": stages}


def meaning(
    told: Mapping[str, Any], stages: Sequence[Mapping[str, Any]], stage: int, outcome: str, voices: int
) -> str:
    """What follows from an answer that this many of the group have given: a verdict, NEXT, or nothing yet."""
    enough = voices >= int(stages[stage]["needed"])
    if outcome == Outcome.CHANGES:
        return Outcome.CHANGES
    if outcome == Outcome.REJECT:
        return Outcome.REJECT if enough or told.get("veto", True) else ""
    if not enough:
        return ""
    return NEXT if stage + 1 < len(stages) else Outcome.APPROVE


def many(stages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether more than one person has to agree."""
    return sum(int(stage["needed"]) for stage in stages) > 1


def exceeded(told: Mapping[str, Any], amount_micro: int) -> list[str]:
    """The groups that this amount asks for."""
    return [one["group"] for one in told.get("above", ()) if amount_micro > to_micro(one["usd"])]


def reminders(
    told: Mapping[str, Any], visible_at: datetime, expires_at: datetime
) -> list[tuple[int, datetime]]:
    """When to remind, each with its share of the time in percent."""
    length = expires_at - visible_at
    return [(share, visible_at + length * share / 100) for share in told.get("remind_at", ())]


def _added(policy: Policy, amount_micro: int | None) -> list[Stage]:
    return [
        Stage(one.group, one.needed)
        for one in policy.above
        if amount_micro is None or amount_micro > to_micro(Decimal(one.usd))
    ]
