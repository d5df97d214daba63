"""Rows about running the product itself: who was seen alive, what was purged."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Heartbeat(models.Model):
    """A process that was seen alive."""

    class Role(models.TextChoices):
        WORKER = "worker", _("Worker")
        RESUMER = "resumer", _("Resumer")
        BEAT = "beat", _("Scheduler")

    owner = models.CharField(max_length=120, unique=True)
    role = models.CharField(max_length=10, choices=Role)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("-seen_at",)

    def __str__(self) -> str:
        return self.owner


class PurgeRecord(models.Model):
    """What stays of a purged task."""

    public_id = models.CharField(max_length=32)
    workflow = models.CharField(max_length=100)
    goal = models.TextField()
    created_by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    purged_at = models.DateTimeField()
    purged_by = models.CharField(max_length=150)
    counts = models.JSONField(default=dict)
    spent_micro = models.BigIntegerField(default=0)
    archive = models.TextField()
    archive_sha256 = models.CharField(max_length=64)
    completed = models.BooleanField(default=False, help_text=_("All its rows are gone."))

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.public_id


class WorkflowVersion(models.Model):
    """What a workflow declared when it was first seen so: what to compare with after a deploy."""

    workflow = models.CharField(max_length=100)
    version = models.CharField(max_length=64)
    steps = models.JSONField(default=list)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("workflow", "version"), name="workflow_version_once"),)

    def __str__(self) -> str:
        return f"{self.workflow} {self.version}"
