"""A new task from a workflow and its parameters."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Length
from django.utils import timezone, translation

from taskboard import hints, lifecycle, secret_params, task_queue, workflow
from taskboard.cleaning import Cleaner
from taskboard.engine import deploys
from taskboard.errors import QueueFull
from taskboard.models import Kind, PurgeRecord, Task
from taskboard.money import to_micro
from taskboard.retention import policy
from taskboard.rights import require

TRIES = 20


def start_task(
    workflow_name: str,
    params: Mapping[str, Any],
    *,
    user: AbstractBaseUser,
    limit_usd: Decimal | None = None,
    goal: str = "",
    submit_token: str = "",
    continues: Task | None = None,
) -> Task:
    """Store a task and tell the workers. The same `submit_token` gives the same task again; `continues` is
    the former task that it stands for.
    Raises NotAllowed, BadInput (with the parameter's name), QueueFull, BrokenWorkflow."""
    require(user)
    spec = workflow.get(workflow_name)
    shown, secrets = secret_params.split(spec, spec.clean(params))
    clean = Cleaner().json(shown)
    limit = None if limit_usd is None else to_micro(limit_usd, "budget")
    former = started_with(submit_token)
    if former is not None:
        return former
    deploys.keep(spec)
    now = timezone.now()
    with translation.override("en"):
        plan = [str(sentence) for sentence in spec.plan]
        purpose = goal or spec.goal(clean)
    try:
        with transaction.atomic():
            task_queue.check_room()
            task = _numbered(
                workflow=spec.name, workflow_version=spec.version, goal=Cleaner().text(purpose, 1000), plan=plan,
                params=clean, created_by=user, created_by_name=user.get_username(), created_at=now, updated_at=now,
                limit_micro=limit, keep_for=policy.keep_for(spec), submit_token=submit_token or None,
                continues=continues, secrets=secrets,
            )  # fmt: skip
    except QueueFull:  # the same form may have filled it, at the same moment
        if former := started_with(submit_token):
            return former
        raise
    hints.soon("taskboard.run_task", task.pk)
    return task


def started_with(submit_token: str) -> Task | None:
    """The task that the form with this token has started already."""
    return Task.objects.filter(submit_token=submit_token).first() if submit_token else None


def _numbered(*, secrets: Mapping[str, str], **columns: Any) -> Task:
    """Insert with the day's next running number; another one may take the same number at the same moment."""
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                task = _insert(columns)
                secret_params.keep(task, secrets)
                return task
        except IntegrityError:
            former = started_with(columns["submit_token"])
            if former is not None:
                return former
    raise IntegrityError("No running number was free.")


def _insert(columns: dict[str, Any]) -> Task:
    day = f"task_{timezone.localdate(columns['created_at']):%Y%m%d}_"
    number = max(_last_number(Task.objects.all(), day), _last_number(PurgeRecord.objects.all(), day)) + 1
    task = Task.objects.create(public_id=f"{day}{number:04}", **columns)
    Task.objects.filter(pk=task.pk).update(queue_position=task.pk)
    with lifecycle.changing(task.pk, task.created_by_name) as change:
        change.record(
            Kind.CREATED, data={"workflow": task.workflow, "params": task.params, "goal": task.goal}
        )
    return task


def _last_number(rows: QuerySet[Any], day: str) -> int:
    """The highest running number of that day; the ids of purged tasks are not given again."""
    taken = rows.filter(public_id__startswith=day).order_by(Length("public_id").desc(), "-public_id")
    last = taken.values_list("public_id", flat=True).first()
    return int(last.rpartition("_")[2]) if last else 0
