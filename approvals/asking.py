"""What a question looks like when it is asked: rows that are not stored yet."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalKind
from taskboard.change import Change
from taskboard.cleaning import Cleaner
from taskboard.models import Step, Task
from taskboard.money import to_micro, to_usd
from taskboard.outcomes import Ask, Policy
from taskboard.seal import sealable, sha256_of

COPIED = (
    "kind", "source", "step_id", "item_key", "step_name", "revision", "workflow_version", "action",
    "consequence", "target", "before", "after", "amount_micro", "impact", "evidence", "payload",
    "payload_sha256", "editable", "starter_may_decide", "requested_by_name",
)  # fmt: skip


def policy_as_json(policy: Policy) -> dict[str, Any]:
    return {
        "group": policy.group,
        "needed": policy.needed,
        "starter_may_decide": policy.starter_may_decide,
        "window": int(policy.window.total_seconds()),
        "on_expiry": policy.on_expiry,
        "escalate_to": policy.escalate_to,
    }


def for_step(change: Change, step: Step, item_key: str, ask: Ask) -> Approval:
    """The question of a workflow's step. What could not be stored as it came is told in the evidence."""
    cleaner = Cleaner()
    payload: dict[str, Any] = sealable(ask.payload, cleaner)
    return _begin(
        change,
        ask.policy,
        step=step,
        item_key=item_key,
        step_name=step.name,
        revision=step.revision,
        action=cleaner.text(ask.action),
        consequence=cleaner.text(ask.consequence),
        target=cleaner.text(ask.target),
        before=cleaner.text(ask.before),
        after=cleaner.text(ask.after),
        amount_micro=None if ask.amount_usd is None else to_micro(ask.amount_usd),
        impact=ask.impact,
        payload=payload,
        payload_sha256=sha256_of(payload),
        editable=list(ask.editable),
        evidence=_evidence(ask, cleaner),
    )


def for_budget(change: Change, needed_micro: int) -> Approval:
    """The question to raise a task's limit; the amount is a field that the deciding person may change."""
    task = change.task
    payload = {"limit_usd": str(to_usd(_proposed_limit(task, needed_micro))), "task": task.public_id}
    facts = {"task": task.public_id, "spent": task.spent_usd, "limit": task.limit_usd}
    return _begin(
        change,
        Policy(),
        kind=ApprovalKind.BUDGET,
        action=_("Raise the budget of %(task)s") % facts,
        consequence=_("The task goes on; until then nothing more of it is started."),
        target=task.public_id,
        before=_("Limit: %s USD") % to_usd(task.limit_micro or 0),
        after=_("Limit: %s USD") % payload["limit_usd"],
        amount_micro=_proposed_limit(task, needed_micro) - (task.limit_micro or 0),
        payload=payload,
        payload_sha256=sha256_of(payload),
        editable=["limit_usd"],
        evidence=[{"label": _("Next step needs"), "text": f"{to_usd(needed_micro)} USD"}],
    )


def successor(change: Change, asked: Approval) -> Approval:
    """The same question, to the group that it escalates to, with a window of its own."""
    policy = {**asked.policy, "group": asked.policy.get("escalate_to") or asked.group_name}
    copied = {name: getattr(asked, name) for name in COPIED}
    return Approval(
        **copied, **_times(change, policy), task=change.task, policy=policy, group_name=policy["group"]
    )


def _begin(change: Change, policy: Policy, **fields: Any) -> Approval:
    told = policy_as_json(policy)
    return Approval(
        task=change.task,
        workflow_version=change.task.workflow_version,
        requested_by_name=change.task.created_by_name,
        policy=told,
        group_name=policy.group,
        starter_may_decide=policy.starter_may_decide,
        **_times(change, told),
        **fields,
    )


def _times(change: Change, policy: Mapping[str, Any]) -> dict[str, Any]:
    window = timedelta(seconds=policy.get("window", Policy().window.total_seconds()))
    return {"requested_at": change.now, "visible_at": change.now, "expires_at": change.now + window}


def _evidence(ask: Ask, cleaner: Cleaner) -> list[dict[str, str]]:
    shown = [
        {"label": cleaner.text(e.get("label", "")), "text": cleaner.text(e.get("text", ""))}
        for e in ask.evidence
    ]
    if cleaner.notes:
        shown.append({"label": _("Changed before it was stored"), "text": "; ".join(cleaner.notes)})
    return shown


def _proposed_limit(task: Task, needed_micro: int) -> int:
    """A quarter more, or what the next step needs if that is more."""
    limit = task.limit_micro or 0
    return max(limit + limit // 4, task.spent_micro + task.reserved_micro + needed_micro)
