"""What a question looks like when it is asked: rows that are not stored yet."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from approvals import policy
from approvals.models import Approval, ApprovalKind, PolicyOverride, Vote
from taskboard import forecast, sentences
from taskboard.change import Change
from taskboard.cleaning import Cleaner
from taskboard.forecast import Forecast
from taskboard.models import Step, Task
from taskboard.money import to_micro, to_usd
from taskboard.outcomes import Ask, Policy
from taskboard.seal import sealable, sha256_of
from taskboard.views import funnel

CENT = 10_000
COPIED = (
    "kind", "source", "step_id", "item_key", "step_name", "revision", "workflow_version", "action",
    "consequence", "target", "before", "after", "amount_micro", "impact", "impact_label", "evidence", "payload",
    "payload_sha256", "editable", "starter_may_decide", "requested_by_name", "stage", "proposed_by",
)  # fmt: skip


def for_step(change: Change, step: Step, item_key: str, ask: Ask) -> Approval:
    """The question of a workflow's step. What could not be stored as it came is told in the evidence."""
    cleaner = Cleaner()
    payload: dict[str, Any] = sealable(ask.payload or {}, cleaner)
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
        impact_label=cleaner.text(ask.impact_label)[:100],
        payload=payload,
        payload_sha256=sha256_of(payload),
        editable=list(ask.editable),
        proposed_by=ask.proposed_by,
        evidence=_evidence(ask, cleaner),
    )


def for_budget(change: Change, needed_micro: int) -> Approval:
    """The question to raise a task's limit; the amount is a field that the deciding person may change."""
    task = change.task
    ahead = _ahead(task)
    limit = _proposed_limit(task, needed_micro, ahead)
    payload = {"limit_usd": str(to_usd(limit)), "task": task.public_id}
    return _begin(
        change,
        Policy(),
        kind=ApprovalKind.BUDGET,
        action=sentences.RAISE(id=task.public_id),
        consequence=sentences.UNTIL_RAISED(),
        target=task.public_id,
        before=sentences.LIMIT(amount=to_usd(task.limit_micro or 0)),
        after=sentences.LIMIT(amount=payload["limit_usd"]),
        amount_micro=limit - (task.limit_micro or 0),
        payload=payload,
        payload_sha256=sha256_of(payload),
        editable=["limit_usd"],
        evidence=[
            {"label": sentences.NEXT_NEEDS(), "text": f"{to_usd(needed_micro)} USD"},
            *_basis(task, ahead),
        ],
    )


def successor(change: Change, asked: Approval) -> Approval:
    """The same question, to the group that it escalates to, with a window of its own. What earlier groups have
    said still counts."""
    group = asked.policy.get("escalate_to") or asked.group_name
    told = policy.escalated(asked.policy, asked.stage, group)
    copied = {name: getattr(asked, name) for name in COPIED}
    return Approval(
        **copied, **times(change.now, told), task=change.task, policy=told,
        policy_sha256=policy.version(told), group_name=group,
    )  # fmt: skip


def earlier_votes(asked: Approval, following: Approval) -> list[Vote]:
    """What the groups before said, for the question that took its place."""
    said = Vote.objects.filter(approval=asked, counts=True, stage__lt=asked.stage)
    names = ("user_id", "user_name", "outcome", "reason", "at", "digest", "stage", "given_with", "address")
    return [Vote(approval=following, **{name: getattr(vote, name) for name in names}) for vote in said]


def times(now: datetime, told: Mapping[str, Any]) -> dict[str, Any]:
    """The window counts from when a group can see the question."""
    window = timedelta(seconds=told.get("window", Policy().window.total_seconds()))
    return {"requested_at": now, "visible_at": now, "expires_at": now + window}


def _begin(change: Change, said: Policy, **fields: Any) -> Approval:
    """With the policy of its workflow, or what an administrator put in its place."""
    override = PolicyOverride.objects.filter(
        workflow=change.task.workflow, step=fields.get("step_name", "")
    ).first()
    in_force = policy.overridden(said, override) if override else said
    told = policy.as_json(in_force, fields.get("amount_micro"))
    if override:
        told["override"] = {"id": override.pk, "version": override.version}
    return Approval(
        task=change.task,
        workflow_version=change.task.workflow_version,
        requested_by_name=change.task.created_by_name,
        policy=told,
        policy_sha256=policy.version(told),
        group_name=told["stages"][0]["group"],
        starter_may_decide=in_force.starter_may_decide,
        **times(change.now, told),
        **fields,
    )


def _evidence(ask: Ask, cleaner: Cleaner) -> list[dict[str, str]]:
    shown = [
        {"label": cleaner.text(e.get("label", "")), "text": cleaner.text(e.get("text", ""))}
        for e in ask.evidence
    ]
    if cleaner.notes:
        shown.append({"label": sentences.CHANGED_BEFORE(), "text": "; ".join(cleaner.notes)})
    return shown


def _ahead(task: Task) -> Forecast:
    spec = funnel.spec_of(task)
    return forecast.look(task, spec.steps if spec else {}, funnel.left(task, funnel.item_steps(task)))


def _proposed_limit(task: Task, needed_micro: int, ahead: Forecast) -> int:
    """What the whole task will have cost, in full cents; a quarter more where that says nothing. In any case the
    next step fits."""
    limit = task.limit_micro or 0
    least = task.spent_micro + task.reserved_micro + needed_micro
    if not ahead.says_something or ahead.total_micro <= limit:
        return max(limit + limit // 4, least)
    return -(-max(ahead.total_micro, least) // CENT) * CENT


def _basis(task: Task, ahead: Forecast) -> list[dict[str, str]]:
    """The forecast in words, where there is one."""
    committed = task.spent_micro + task.reserved_micro
    amounts = {"total": ahead.total_micro, "spent": committed, "ahead": ahead.total_micro - committed}
    sentence = sentences.BY_ESTIMATES if ahead.estimated else sentences.BY_LATEST_COSTS
    told = sentence(**{name: to_usd(micro) for name, micro in amounts.items()})
    return [{"label": sentences.FORECAST(), "text": told}] if ahead.says_something else []
