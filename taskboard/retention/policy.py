"""How long the finished tasks of a workflow are kept: as its code says, or as an administrator says instead."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import DurationField, ExpressionWrapper, F, Value
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit, workflow
from taskboard.audit import Actor
from taskboard.errors import BadInput
from taskboard.models import RetentionPolicy, Task
from taskboard.models.task import FINISHED_TASKS
from taskboard.retention.hold import name_of, said
from taskboard.workflow import WorkflowSpec

LONGEST_DAYS = 36_500
AT_ONCE = 500


@dataclass(frozen=True)
class Kept:
    """A workflow with what its code says and what an administrator says instead, if one does."""

    name: str
    title: str
    declared: timedelta
    policy: RetentionPolicy | None

    @property
    def days(self) -> int | None:
        """What counts; None stands for without an end."""
        return self.declared.days if self.policy is None else self.policy.days


def keep_for(spec: WorkflowSpec) -> timedelta | None:
    """How long a new task of this workflow is kept once it is finished; None stands for without an end."""
    policy = RetentionPolicy.objects.filter(workflow=spec.name).first()
    return spec.keep_for if policy is None else _length(policy.days)


def overview() -> list[Kept]:
    """All workflows, by title."""
    policies = {policy.workflow: policy for policy in RetentionPolicy.objects.all()}
    return [
        Kept(spec.name, str(spec.title), spec.keep_for, policies.get(spec.name))
        for spec in workflow.registered()
    ]


def change(name: str, by: Actor, days: int | None, reason: str) -> int:
    """Keep the tasks of this workflow so many days after their end (None: without an end), those that are there
    too. Returns how many finished tasks have another end of their time now."""
    spec, reason = workflow.get(name), said(reason)
    if days is not None and not 0 <= days <= LONGEST_DAYS:
        raise BadInput(_("Give a number of days from 0 to %d, or leave it empty.") % LONGEST_DAYS, "days")
    with transaction.atomic():
        before = _days(spec)
        values = {"days": days, "reason": reason, "set_by_name": name_of(by), "set_at": timezone.now()}
        policy, _new = RetentionPolicy.objects.update_or_create(workflow=name, defaults=values)
        audit.record(by, "retention_policy", policy, reason=reason, before=before, after={"days": days})
    return _apply(name, _length(days))


def drop(name: str, by: Actor, reason: str) -> int:
    """Let the workflow's own time count again."""
    spec, reason = workflow.get(name), said(reason)
    with transaction.atomic():
        before, policy = _days(spec), RetentionPolicy.objects.filter(workflow=name)
        if not policy.delete()[0]:
            raise BadInput(_("Tasks of this workflow are kept as it declares already."))
        told = {"days": spec.keep_for.days}
        audit.record(
            by, "retention_policy", ("retentionpolicy", name), reason=reason, before=before, after=told
        )
    return _apply(name, spec.keep_for)


def _days(spec: WorkflowSpec) -> dict[str, int | None]:
    length = keep_for(spec)
    return {"days": None if length is None else length.days}


def _length(days: int | None) -> timedelta | None:
    return None if days is None else timedelta(days=days)


def _apply(name: str, length: timedelta | None) -> int:
    """To the tasks that are there, some at a time; a task that was read back from an archive has its own time."""
    changed, last = 0, 0
    tasks = Task.objects.filter(workflow=name, archived=False).order_by("pk")
    while pks := list(tasks.filter(pk__gt=last).values_list("pk", flat=True)[:AT_ONCE]):
        changed += _apply_to(pks, length)
        last = pks[-1]
    return changed


def _apply_to(pks: list[int], length: timedelta | None) -> int:
    with transaction.atomic():
        locked = (
            Task.objects.select_for_update().filter(pk__in=pks).order_by("pk").values_list("pk", flat=True)
        )
        Task.objects.filter(pk__in=list(locked)).update(keep_for=length, version=F("version") + 1)
        finished = Task.objects.filter(pk__in=pks, status__in=FINISHED_TASKS).exclude(finished_at=None)
        if length is None:
            return finished.update(expires_at=None)
        end = ExpressionWrapper(
            F("finished_at") + Value(length, DurationField()), Task._meta.get_field("expires_at")
        )
        return finished.update(expires_at=end)
