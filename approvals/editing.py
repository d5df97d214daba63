"""Changes that the deciding person made to the action, where its workflow allows any."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalKind
from taskboard.cleaning import Cleaner
from taskboard.errors import BadInput
from taskboard.models import Task
from taskboard.money import to_micro, to_usd


def edited_action(approval: Approval, task: Task, edited: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The action with the person's changes, or None if there are none. Raises BadInput for other fields."""
    changes = {name: Cleaner().json(value) for name, value in (edited or {}).items()}
    for name in changes:
        if name not in approval.editable:
            raise BadInput(_("This field cannot be changed in a decision."), name)
    if approval.kind == ApprovalKind.BUDGET:
        changes["limit_usd"] = _limit(task, str(changes.get("limit_usd", approval.payload["limit_usd"])))
    action = {**approval.payload, **changes}
    return None if action == approval.payload else action


def _limit(task: Task, amount: str) -> str:
    micro = to_micro(amount, "limit_usd")
    committed = max(task.limit_micro or 0, task.spent_micro + task.reserved_micro)
    if micro <= committed:
        raise BadInput(
            _("Enter a limit above %s USD, the limit and the money spent so far.") % to_usd(committed)
        )
    return str(to_usd(micro))
