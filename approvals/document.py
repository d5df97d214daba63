"""The questions of a task as they stand in its state document, in both directions."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from approvals import decisions
from approvals.models import Approval, ApprovalKind, ApprovalStatus, Outcome, Source
from taskboard.change import Change
from taskboard.document.form import ALWAYS, Column, fields, plain, same, time, told, usd
from taskboard.errors import BadInput
from taskboard.models import Step, Task
from taskboard.money import to_micro
from taskboard.outcomes import Policy
from taskboard.seal import sha256_of

QUESTION = [
    plain("item", name="item_key"), plain("step", name="step_name"), plain("revision", 1),
    plain("kind", ApprovalKind.STEP), plain("action", ALWAYS), time("requested_at", ALWAYS),
    plain("requested_by", name="requested_by_name"), plain("consequence"), plain("target"), plain("before"),
    plain("after"), Column("amount_usd", "amount_micro", None, usd, to_micro), plain("impact", None),
    plain("impact_label"), plain("evidence", []), plain("payload", {}), plain("digest", name="payload_sha256"),
    plain("editable", []), plain("policy", {}), plain("workflow_version"), time("expires_at"),
    plain("stage", 0), plain("assigned_to", name="assignee_name"), plain("proposed_by"),
]  # fmt: skip
DECISION = [
    Column("outcome", "status", ALWAYS, str, same), plain("decided_by", name="decided_by_name"),
    time("decided_at"), time("closed_at"), plain("decided_with"), plain("reason"),
    plain("payload", None, "decided_payload"), plain("digest", name="decided_sha256"), time("picked_up_at"),
    time("hand_over_at"),
]  # fmt: skip
KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("revision", "impact", "stage"), (int,)),
    **dict.fromkeys(("payload", "policy"), (dict,)),
    **dict.fromkeys(("evidence", "editable"), (list,)),
    "amount_usd": (int, float, str),
}
VERDICTS = {
    ApprovalStatus.APPROVED: Outcome.APPROVE,
    ApprovalStatus.REJECTED: Outcome.REJECT,
    ApprovalStatus.CHANGES_REQUESTED: Outcome.CHANGES,
}


def written(task: Task) -> list[dict[str, Any]]:
    """All questions, oldest first; an open one has no decision."""
    return [
        _entry(approval) for approval in Approval.objects.filter(task=task).order_by("requested_at", "pk")
    ]


def read(change: Change, entries: Sequence[Mapping[str, Any]]) -> None:
    """Store them. Open ones can be read, and decided once the workflow has asked them again.
    Raises BadInput with the path of a fault."""
    steps = _steps_of(change.task)
    decisions.restore(
        _approval(change.task, steps, entry, f"approvals.{n}") for n, entry in enumerate(entries)
    )


def _entry(approval: Approval) -> dict[str, Any]:
    entry = told(approval, QUESTION)
    decided = None if approval.status == ApprovalStatus.OPEN else told(approval, DECISION)
    if decided and decided.get("closed_at") == decided.get("decided_at"):
        decided.pop("closed_at", None)
    return {"item": approval.item_key, **entry, "decision": decided}


def _approval(task: Task, steps: Mapping[Any, Step], entry: Mapping[str, Any], path: str) -> Approval:
    _check(entry, QUESTION, path)
    approval = Approval(task=task, source=Source.IMPORTED, **fields(entry, QUESTION))
    approval.step = steps.get((approval.item_key, approval.step_name, approval.revision))
    approval.group_name = _group_of(approval.policy, approval.stage)
    approval.starter_may_decide = approval.policy.get("starter_may_decide") is True
    approval.visible_at = approval.requested_at
    if approval.payload_sha256 and approval.payload_sha256 != sha256_of(approval.payload):
        raise BadInput(_("This is not the SHA-256 of the payload."), f"{path}.digest")
    _decide(approval, entry["decision"], f"{path}.decision")
    return approval


def _group_of(policy: Mapping[str, Any], stage: int) -> str:
    stages = policy.get("stages")
    told = stages[stage] if isinstance(stages, list) and stage < len(stages) else policy
    group = told.get("group") if isinstance(told, Mapping) else ""
    return str(group or Policy().group)[:150]


def _decide(approval: Approval, decision: Any, path: str) -> None:
    if decision is None:
        approval.held = True
        return
    told_so = {"outcome": decision} if isinstance(decision, str) else decision
    _check(told_so, DECISION, path)
    if told_so.get("outcome") not in set(ApprovalStatus) - {ApprovalStatus.OPEN}:
        allowed = ", ".join(sorted(set(ApprovalStatus) - {ApprovalStatus.OPEN}))
        raise BadInput(_("Unknown outcome; allowed: %s.") % allowed, f"{path}.outcome")
    for name, value in fields(told_so, DECISION).items():
        setattr(approval, name, value)
    approval.closed_at = approval.closed_at or approval.decided_at
    approval.decided_by = get_user_model().objects.filter(username=approval.decided_by_name).first()
    approval.verdict = VERDICTS.get(ApprovalStatus(approval.status), "")


def _check(entry: Mapping[str, Any], columns: Sequence[Column], path: str) -> None:
    for column in columns:
        value = entry.get(column.key)
        if value is not None and not isinstance(value, KINDS.get(column.key, (str,))):
            raise BadInput(_("%s was not expected here.") % type(value).__name__, f"{path}.{column.key}")


def _steps_of(task: Task) -> dict[Any, Step]:
    steps = Step.objects.filter(task=task, status="waiting_approval").select_related("item")
    return {(step.item.key, step.name, step.revision): step for step in steps}
