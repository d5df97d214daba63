"""Changes that the deciding person made to the action, where its workflow allows any."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.translation import gettext as _

from approvals import policy
from approvals.models import Approval, ApprovalKind
from taskboard import workflow
from taskboard.cleaning import Cleaner
from taskboard.errors import BadInput
from taskboard.models import Task
from taskboard.money import to_micro, to_usd
from taskboard.seal import sealable

LONGEST = 20_000


def edited_action(approval: Approval, task: Task, edited: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The action with the person's changes, or None if there are none. Raises BadInput for other fields, for values
    of another kind, and for what the workflow refuses."""
    changes = {name: _value(approval, name, value) for name, value in (edited or {}).items()}
    if approval.kind == ApprovalKind.BUDGET:
        changes["limit_usd"] = _limit(task, str(changes.get("limit_usd", approval.payload["limit_usd"])))
    action = {**approval.payload, **changes}
    if action == approval.payload:
        return None
    if policy.many(approval.stages):
        raise BadInput(
            _("Several people have to agree to this, all to the same action. Ask for changes instead.")
        )
    _check_amounts(approval, task, changes)
    _ask_workflow(approval, task, action)
    return action


def _value(approval: Approval, name: str, value: Any) -> Any:
    if name not in approval.editable:
        raise BadInput(_("This field cannot be changed in a decision."), name)
    clean, before = sealable(Cleaner().json(value)), approval.payload.get(name)
    if before is not None and type(clean) is not type(before):
        raise BadInput(
            _("This must be a value of the same kind as before: %s.") % type(before).__name__, name
        )
    if before and isinstance(clean, str) and not clean.strip():
        raise BadInput(_emptied(approval), name)
    if isinstance(clean, str) and len(clean) > LONGEST:
        raise BadInput(_("This has at most %d characters.") % LONGEST, name)
    return clean


def _emptied(approval: Approval) -> str:
    if approval.kind == ApprovalKind.BUDGET:
        return _("Enter the new limit, such as 7.35.")
    return _("The edited text is empty. Write one, or reject the question.")


def _check_amounts(approval: Approval, task: Task, changes: Mapping[str, Any]) -> None:
    """An amount says who has to agree, so it cannot be raised past that with the answer."""
    if approval.kind == ApprovalKind.BUDGET:
        more = to_micro(changes["limit_usd"], "limit_usd") - (task.limit_micro or 0)
        allowed = {stage["group"] for stage in approval.stages[1:]}
        if set(policy.exceeded(approval.policy, more)) - allowed:
            raise BadInput(_("So much more needs the consent of further people; enter less."), "limit_usd")
    elif approval.policy.get("above"):
        for name, value in changes.items():
            if _number(value) > _number(approval.payload.get(name)):
                raise BadInput(_("This number cannot be raised here: amounts decide who has to agree."), name)


def _number(value: Any) -> Decimal:
    """The value if it is a number, also as text; otherwise 0."""
    try:
        return Decimal(str(value)) if type(value) in (int, str) else Decimal(0)
    except InvalidOperation:
        return Decimal(0)


def _ask_workflow(approval: Approval, task: Task, action: dict[str, Any]) -> None:
    """The step's own check of an edited action, if it declares one."""
    if approval.kind == ApprovalKind.BUDGET:
        return
    declared = workflow.get(task.workflow)
    step = declared.steps.get(approval.step_name)
    if step is None or step.check_edit is None:
        return
    try:
        step.check_edit(declared.owner, action)
    except ValueError as error:
        raise BadInput(str(error)) from None


def _limit(task: Task, amount: str) -> str:
    micro = to_micro(amount, "limit_usd")
    committed = max(task.limit_micro or 0, task.spent_micro + task.reserved_micro)
    if micro <= committed:
        raise BadInput(
            _("Enter a limit above %s USD, the limit and the money spent so far.") % to_usd(committed)
        )
    return str(to_usd(micro))
