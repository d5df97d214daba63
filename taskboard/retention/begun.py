"""Purges that have begun and are not complete, as their records tell."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from taskboard.models import PurgeRecord, Task


def of(task: Task) -> PurgeRecord | None:
    """The record of a purge of this task that has begun."""
    return unfinished().filter(public_id=task.public_id).first()


def is_archived(public_id: str) -> bool:
    """Whether it has come so far that rows may be gone."""
    return unfinished().filter(public_id=public_id).exclude(archive_sha256="").exists()


def unfinished() -> "QuerySet[PurgeRecord]":
    return PurgeRecord.objects.filter(completed=False).order_by("pk")


def tasks() -> Q:
    """The tasks whose purge has begun."""
    return Q(Exists(unfinished().filter(public_id=OuterRef("public_id"))))
