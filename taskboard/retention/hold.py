"""A hold keeps a task beyond its time, for a reason that a person gave, and until a day if one is given."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit
from taskboard.audit import Actor
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, WrongState
from taskboard.lifecycle import changing
from taskboard.models import AuditEntry, Kind, Task
from taskboard.retention import begun

LONGEST_REASON = 1000


def holding(now: datetime) -> Q:
    """The tasks that are on hold themselves."""
    return Q(on_hold=True) & (Q(hold_until=None) | Q(hold_until__gt=now))


def held(now: datetime) -> "QuerySet[Task]":
    """The tasks with a hold of their own, the newest task first."""
    return Task.objects.filter(holding(now)).order_by("-pk")


def since(tasks: Iterable[Task]) -> Mapping[str, datetime]:
    """When each of these was put on hold as it stands, by its id. One that came with a document is not known."""
    ids = [task.public_id for task in tasks]
    acts = AuditEntry.objects.filter(target_kind="task", target__in=ids, action="hold").order_by("pk")
    return dict(acts.values_list("target", "at"))


def holds(task: Task, now: datetime) -> bool:
    return task.on_hold and (task.hold_until is None or task.hold_until > now)


def hold(task_pk: int, by: Actor, reason: str, until: datetime | None = None) -> Task:
    """Keep the task until the hold is lifted or its day is over. A purge that has begun without having removed
    anything leaves the task alone."""
    reason = said(reason)
    with changing(task_pk, name_of(by)) as change:
        task = change.task
        if begun.is_archived(task.public_id):
            told = _("The purge of task %(id)s has begun; it cannot be held any more.")
            raise WrongState(told % {"id": task.public_id})
        before = _stands(task) if task.on_hold else None
        change.set(on_hold=True, hold_reason=reason, hold_by=name_of(by), hold_until=until)
        data = {"did": "hold", "reason": reason}
        change.record(Kind.PERSON, data=data | ({"until": until.isoformat()} if until else {}))
        audit.record(by, "hold", task, reason=reason, before=before, after=_stands(task))
    return task


def release(task_pk: int, by: Actor) -> Task:
    """Lift the hold: the task may be purged once its time is over."""
    with changing(task_pk, name_of(by)) as change:
        task = change.task
        if not task.on_hold:
            raise WrongState(_("Task %(id)s is not on hold.") % {"id": task.public_id})
        change.record(Kind.PERSON, data={"did": "release", "reason": task.hold_reason})
        audit.record(by, "release", task, before=_stands(task))
        change.set(on_hold=False, hold_reason="", hold_by="", hold_until=None)
    return task


def why(task: Task) -> str:
    """A sentence on the hold of this task itself."""
    told = {"reason": task.hold_reason, "by": task.hold_by}
    if task.hold_until is None:
        return _("It is on hold: %(reason)s") % told
    told["until"] = f"{timezone.localtime(task.hold_until):%Y-%m-%d %H:%M %Z}"
    return _("It is on hold until %(until)s: %(reason)s") % told


def said(reason: str) -> str:
    """The reason, fit for the database; raises BadInput if there is none."""
    reason = clean_text(reason, LONGEST_REASON).strip()
    if not reason:
        raise BadInput(_("Say why this must be kept: others will read it."), "reason")
    return reason


def name_of(by: Actor) -> str:
    return by if isinstance(by, str) else by.get_username()


def _stands(task: Task) -> dict[str, str]:
    until = task.hold_until.isoformat() if task.hold_until else ""
    return {"reason": task.hold_reason, "by": task.hold_by, "until": until}
