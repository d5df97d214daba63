"""Questions of a task that was read back from an archive: its journal tells which number each had before."""

from approvals.models import Approval
from taskboard.models import Checkpoint, Kind, PurgeRecord


def number_before(approval: Approval) -> int | None:
    """The number under which it was asked; None for a question whose task was not read back."""
    if not approval.task.archived:
        return None
    asked = Checkpoint.objects.filter(
        task=approval.task_id, kind=Kind.ASKED, at=approval.requested_at,
        item_key=approval.item_key, step=approval.step_name,
    )  # fmt: skip
    number = asked.values_list("data__approval", flat=True).first()
    return number if isinstance(number, int) else None


def had(number: int) -> Approval | None:
    """The question that had this number here until its task was purged, if that task is read back now."""
    purged = PurgeRecord.objects.values("public_id")
    asked = Checkpoint.objects.filter(
        task__archived=True, task__public_id__in=purged, kind=Kind.ASKED, data__approval=number
    ).first()
    if asked is None:
        return None
    same = {"requested_at": asked.at, "item_key": asked.item_key, "step_name": asked.step}
    return Approval.objects.filter(task=asked.task_id, **same).first()
