"""What a verdict does to its step or task. Steps become claimable or end; nothing is run from here."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalKind, Outcome
from taskboard.change import Change
from taskboard.engine.advance import follow
from taskboard.lifecycle import StepMove, move_steps
from taskboard.models import Kind, Step, StepStatus
from taskboard.money import to_micro, to_usd


def carry_out(change: Change, approval: Approval) -> str:
    """Let the verdict take effect; returns the new status of the step, or an empty text if nothing moved."""
    if approval.kind == ApprovalKind.BUDGET:
        if approval.verdict == Outcome.APPROVE:
            _raise_budget(change, approval)
        return ""
    if approval.verdict == Outcome.APPROVE:
        action, sha256 = approval.sealed
        return _move(change, approval, StepStatus.PENDING, action=action, action_sha256=sha256)
    return _move(change, approval, StepStatus.REJECTED, error=_why_not(approval))


def ask_again(change: Change, approval: Approval) -> str:
    """The step goes back to where its workflow is asked whether a person must agree."""
    return _move(change, approval, StepStatus.PENDING, action=None, action_sha256="")


def ask_these_again(change: Change, steps: Sequence[Step]) -> int:
    """The same for many steps whose questions nobody can answer any more; returns how many."""
    fields = {"action": None, "action_sha256": ""}
    move_steps(change, [StepMove(step, StepStatus.PENDING, dict(fields)) for step in steps])
    for step in steps:
        change.record(Kind.NOTE, step=step.name, item=step.item.key, data={"to": StepStatus.PENDING})
    follow(change, [step.item_id for step in steps])
    return len(steps)


def _move(change: Change, approval: Approval, to: StepStatus, **fields: Any) -> str:
    step = approval.step
    if step is None or step.status != StepStatus.WAITING_APPROVAL:
        return ""
    if move_steps(change, [StepMove(step, to, fields)], strict=False):
        return ""
    follow(change, [step.item_id])
    return to


def _why_not(approval: Approval) -> str:
    if approval.decided_by_name:
        return _("Rejected by %(who)s: %(why)s") % {"who": approval.decided_by_name, "why": approval.reason}
    return _("Nobody answered in time, and the policy of the question says that this means no.")


def _raise_budget(change: Change, approval: Approval) -> None:
    action, _sha256 = approval.sealed
    before = change.task.limit_usd
    change.set(limit_micro=to_micro(action["limit_usd"]), out_of_budget=False)
    change.touched = True
    data = {"from_usd": None if before is None else str(before), "approval": approval.pk}
    change.record(Kind.BUDGET, data={**data, "limit_usd": str(to_usd(change.task.limit_micro or 0))})
