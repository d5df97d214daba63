"""The way of a purge from its preview to its begin, over a second administrator where the setting asks for one;
and its end before the end."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from taskboard import audit, hints
from taskboard.audit import Actor
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import PurgePlan, PurgeRecord, Task
from taskboard.retention import expiry, purge
from taskboard.retention.hold import LONGEST_REASON, name_of
from taskboard.retention.plans import PlanChanged, about, differences
from taskboard.rights import RETAIN


def needs_second_person() -> bool:
    return bool(settings.TASKBOARD_PURGE_SECOND_PERSON)


def begin(plan: PurgePlan, by: Actor) -> PurgePlan:
    """Begin what was shown, or ask a second administrator first. Raises PlanChanged if it is no longer that."""
    _refuse_changed(plan)
    if not needs_second_person():
        return _begin(plan, by, agreed_by="")
    with transaction.atomic():
        asker = {"by_name": name_of(by), "by": by if isinstance(by, User) else None}
        if not _undecided(plan).filter(asked_at=None).update(asked_at=timezone.now(), **asker):
            raise WrongState(_over())
        audit.record(by, "purge_asked", plan, after=about(plan))
    plan.refresh_from_db()
    return plan


def agree(plan: PurgePlan, user: User) -> PurgePlan:
    """The second person's yes, by somebody else than who asked; then it begins."""
    if not user.has_perm(RETAIN):
        raise NotAllowed(_("%(user)s may not purge: only administrators may.") % {"user": user.username})
    if user.get_username() == plan.by_name or user.pk == plan.by_id:
        raise NotAllowed(_("You asked for this purge yourself. Another administrator has to agree to it."))
    if plan.asked_at is None:
        raise WrongState(_("Nobody has asked for this purge yet."))
    _refuse_changed(plan)
    return _begin(plan, user, agreed_by=user.get_username())


def refuse(plan: PurgePlan, by: Actor, why: str) -> PurgePlan:
    """A no, or the taking back of one's own question: the tasks stay as they are."""
    why = clean_text(why, LONGEST_REASON).strip()
    if not why:
        raise BadInput(_("Say why this purge must not be: the other administrator will read it."), "reason")
    said = {"refused_at": timezone.now(), "refused_by_name": name_of(by), "refused_why": why}
    with transaction.atomic():
        if not _undecided(plan).exclude(asked_at=None).update(**said):
            raise WrongState(_over())
        audit.record(by, "purge_refused", plan, reason=why)
    plan.refresh_from_db()
    return plan


def cancel(plan: PurgePlan, by: Actor) -> int:
    """Nothing more is begun; a task of which something is gone already is purged to its end. Returns how many
    tasks were let go."""
    running = PurgePlan.objects.filter(pk=plan.pk, finished_at=None, cancelled_at=None).exclude(begun_at=None)
    with transaction.atomic():
        if not running.update(cancelled_at=timezone.now(), cancelled_by_name=name_of(by)):
            raise WrongState(_("This purge is over already; there is nothing left to cancel."))
        audit.record(by, "purge_cancelled", plan)
    records = PurgeRecord.objects.filter(plan=plan, completed=False, archive_sha256="")
    freed = sum(purge.let_go(record, purge.cancelled()) for record in list(records))
    hints.soon("taskboard.purge", queue="steps")
    return freed


def _begin(plan: PurgePlan, by: Actor, agreed_by: str) -> PurgePlan:
    """One short transaction: all tasks are locked, looked at once more, and frozen."""
    now = timezone.now()
    with transaction.atomic():
        if not _undecided(plan).update(begun_at=now, agreed_by_name=agreed_by):
            raise WrongState(_over())
        plan.refresh_from_db()
        _freeze(plan, now)
        audit.record(by, "purge_agreed" if agreed_by else "purge_begun", plan, after=about(plan))
    hints.soon("taskboard.purge", queue="steps")
    return plan


def _freeze(plan: PurgePlan, now: datetime) -> None:
    versions = dict(plan.tasks.values_list("public_id", "version"))
    tasks = list(Task.objects.select_for_update().filter(public_id__in=versions).order_by("pk"))
    pks = [task.pk for task in tasks]
    may = set(expiry.expired(now).filter(pk__in=pks).values_list("pk", flat=True))
    changed = [
        task.public_id for task in tasks if task.pk not in may or task.version != versions[task.public_id]
    ]
    changed += sorted(versions.keys() - {task.public_id for task in tasks})
    if changed:
        raise PlanChanged([_("%(id)s was changed.") % {"id": public_id} for public_id in changed])
    Task.objects.filter(pk__in=pks).update(held=True)
    PurgeRecord.objects.bulk_create(purge.record_of(task, plan.by_name, now, plan) for task in tasks)


def _refuse_changed(plan: PurgePlan) -> None:
    if plan.begun_at or plan.refused_at:
        raise WrongState(_over())
    if differs := differences(plan, timezone.now()):
        raise PlanChanged(differs)


def _undecided(plan: PurgePlan) -> "QuerySet[PurgePlan]":
    return PurgePlan.objects.filter(pk=plan.pk, begun_at=None, refused_at=None)


def _over() -> str:
    return _("This purge was decided already. Load the page again.")
