"""Whoever comes with the address of a purged task is told that it was there, if they might have seen it."""

from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.translation import gettext as _

from taskboard import audit, dates
from taskboard.errors import Gone
from taskboard.models import PurgeRecord
from taskboard.rights import RETAIN, SEE


def told(user: User, public_id: str) -> Gone | None:
    """What became of the task. A record keeps no owner who could be looked up: it speaks to those alone who may see
    every task, and its own place is for those who may read it."""
    record = PurgeRecord.objects.filter(public_id=public_id, completed=True).first()
    if record is None or not user.has_perm(SEE):
        return None
    facts = {"task_id": public_id, "purged_at": record.purged_at, "purged_by": record.purged_by}
    if user.has_perm(RETAIN):
        facts["record"] = address(public_id)
    return Gone(_sentence(record), facts)


def address(public_id: str) -> str:
    """Where the record stands."""
    return f"{reverse('taskboard:retention_records')}?task={public_id}"


def _sentence(record: PurgeRecord) -> str:
    said = {"id": record.public_id, "at": dates.minute(record.purged_at), "who": record.purged_by}
    if record.purged_by == audit.SYSTEM:
        return _("Task %(id)s was purged on %(at)s, automatically, since its time was over.") % said
    return _("Task %(id)s was purged on %(at)s by %(who)s.") % said
