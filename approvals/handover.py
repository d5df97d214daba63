"""What a verdict does to its step or task. Steps become claimable or end; nothing is run from here."""

from collections.abc import Sequence
from typing import Any

from approvals.models import Approval, ApprovalKind, Outcome
from taskboard import audit, origin, sentences, workflow
from taskboard.change import Change
from taskboard.engine import goback
from taskboard.engine.advance import follow
from taskboard.lifecycle import StepMove, move_steps
from taskboard.models import Instruction, Item, Kind, Step, StepStatus
from taskboard.money import to_micro, to_usd
from taskboard.workflow import WorkflowSpec


def carry_out(change: Change, approval: Approval) -> str:
    """Let the verdict take effect; returns the new status of the step, or an empty text if nothing moved."""
    if approval.kind == ApprovalKind.BUDGET:
        if approval.verdict == Outcome.APPROVE:
            _raise_budget(change, approval)
        return ""
    if approval.verdict == Outcome.APPROVE:
        action, sha256 = approval.sealed
        return _move(change, approval, StepStatus.PENDING, action=action, action_sha256=sha256)
    if approval.verdict == Outcome.CHANGES:
        return _send_back(change, approval)
    return _move(change, approval, StepStatus.REJECTED, error=_why_not(approval))


def must_wait(change: Change, approval: Approval) -> bool:
    """Whether the proposal cannot be made anew yet: a write beside it is in the air."""
    step = approval.step
    if approval.verdict != Outcome.CHANGES or step is None or step.status != StepStatus.WAITING_APPROVAL:
        return False
    known = approval.step_name in workflow.get(change.task.workflow).steps
    return known and goback.must_wait(change, step, _maker(change, approval))


def ask_again(change: Change, approval: Approval) -> str:
    """The step goes back to where its workflow is asked whether a person must agree."""
    return _move(change, approval, StepStatus.PENDING, action=None, action_sha256="")


def end(change: Change, approval: Approval, why: str) -> str:
    """The step ends without running."""
    return _move(change, approval, StepStatus.REJECTED, error=why)


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


def _send_back(change: Change, approval: Approval) -> str:
    """The step that made the proposal is done anew, with the person's words for it."""
    step = approval.step
    if step is None or step.status != StepStatus.WAITING_APPROVAL:
        return ""
    if approval.step_name not in workflow.get(change.task.workflow).steps:
        return ask_again(change, approval)  # a deploy removed the step; the engine says so
    item, to = Item.objects.get(pk=step.item_id), _maker(change, approval)
    _instruct(change, approval, f"{item.key}.{to}")
    told = {"back_to": to, "reason": approval.reason, "by": approval.decided_by_name}
    change.record(Kind.GO_BACK, item=item.key, step=step.name, attempt=step.attempt, data=told)
    goback.supersede(change, item, to, approval.reason)
    follow(change, [item.pk])
    return StepStatus.SUPERSEDED


def _instruct(change: Change, approval: Approval, step: str) -> None:
    """Word for word, as an instruction that this step has taken up already."""
    at = approval.decided_at or change.now
    Instruction.objects.create(
        task=change.task, position=0, text=approval.reason, added_by=approval.decided_by_name, added_at=at,
        taken_up_at=change.now, taken_up_by=step,
    )  # fmt: skip


def _maker(change: Change, approval: Approval) -> str:
    """The step that made the proposal: the one that its workflow names, or the nearest one before that is really
    done anew (a write whose effect is kept is not), or the asking step itself."""
    spec = workflow.get(change.task.workflow)
    before = _before(spec, approval.step_name)
    if approval.proposed_by in before:
        return approval.proposed_by
    again = (n for n in before if not spec.steps[n].writes or spec.steps[n].on_go_back != "keep")
    return next(again, approval.step_name)


def _before(spec: WorkflowSpec, name: str) -> list[str]:
    """The steps that this one comes after, the nearest first."""
    found: list[str] = []
    ring = list(spec.steps[name].after) if name in spec.steps else []
    while ring:
        found += [one for one in ring if one not in found]
        ring = [dep for one in ring for dep in spec.steps[one].after if dep not in found]
    return found


def _why_not(approval: Approval) -> str:
    if approval.decided_by_name:
        return sentences.REJECTED(who=approval.decided_by_name, why=approval.reason)
    return sentences.UNANSWERED()


def _raise_budget(change: Change, approval: Approval) -> None:
    """Never lowered: a person may have raised it further meanwhile."""
    action, _sha256 = approval.sealed
    before, limit = change.task.limit_usd, to_micro(action["limit_usd"])
    if change.task.limit_micro is not None:
        change.set(limit_micro=max(limit, change.task.limit_micro))
    change.set(out_of_budget=False)
    change.touched = True
    data = {"from_usd": None if before is None else str(before), "approval": approval.pk}
    change.record(Kind.BUDGET, data={**data, "limit_usd": str(to_usd(change.task.limit_micro or 0))})
    after = {"limit_usd": change.task.limit_usd, "question": approval.pk}
    who, why = approval.decided_by_name or audit.SYSTEM, approval.reason
    with origin.coming_from(_came_from(approval)):
        audit.record(who, "budget", change.task, reason=why, before={"limit_usd": before}, after=after)


def _came_from(approval: Approval) -> str:
    """The address of the person whose answer is carried out here, by a worker."""
    deciding = approval.votes.filter(
        counts=True, outcome=approval.verdict, user_name=approval.decided_by_name
    )
    return deciding.order_by("-pk").values_list("address", flat=True).first() or ""
