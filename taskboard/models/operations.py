"""Rows about running the product itself: who was seen alive, what was purged."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from taskboard.models.retention import PurgePlan


class Heartbeat(models.Model):
    """A process that was seen alive."""

    class Role(models.TextChoices):
        WORKER = "worker", _("Worker")
        RESUMER = "resumer", _("Resumer")
        BEAT = "beat", _("Scheduler")
        WEB = "web", _("Web process with live pages")

    owner = models.CharField(max_length=120, unique=True)
    role = models.CharField(max_length=10, choices=Role)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    streams = models.PositiveIntegerField(
        default=0, db_default=0, help_text=_("Live pages that a web process serves.")
    )

    class Meta:
        ordering = ("-seen_at",)

    def __str__(self) -> str:
        return self.owner


class PurgeRecord(models.Model):
    """What stays of a purged task. It is there before anything is removed."""

    plan = models.ForeignKey(
        PurgePlan, null=True, blank=True, on_delete=models.SET_NULL, related_name="records"
    )
    public_id = models.CharField(max_length=32)
    workflow = models.CharField(max_length=100)
    goal = models.TextField()
    created_by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    purged_at = models.DateTimeField()
    purged_by = models.CharField(max_length=150)
    agreed_by = models.CharField(
        max_length=150, blank=True, default="", db_default="", help_text=_("The second administrator.")
    )
    counts = models.JSONField(default=dict)
    spent_micro = models.BigIntegerField(default=0)
    archive = models.TextField()
    archive_sha256 = models.CharField(max_length=64)
    removed = models.PositiveBigIntegerField(
        default=0, db_default=0, help_text=_("Rows that are gone so far.")
    )
    busy_until = models.DateTimeField(null=True, blank=True, help_text=_("One worker at a time."))
    completed = models.BooleanField(default=False, help_text=_("All its rows are gone."))

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=("public_id",), name="purge_by_task"),
            models.Index(fields=("id",), name="purge_unfinished", condition=Q(completed=False)),
        )

    def __str__(self) -> str:
        return self.public_id


class WorkflowVersion(models.Model):
    """What a workflow declared when it was seen so, at first or when a task was let follow it: what to compare with
    after a deploy."""

    workflow = models.CharField(max_length=100)
    version = models.CharField(max_length=64)
    steps = models.JSONField(default=list)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("workflow", "version"), name="workflow_version_once"),)

    def __str__(self) -> str:
        return f"{self.workflow} {self.version}"
