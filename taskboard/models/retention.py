"""Rows about keeping and purging: policies, holds by search, previewed purges."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class RetentionPolicy(models.Model):
    """How long an administrator wants the tasks of a workflow kept, instead of what its code says."""

    workflow = models.CharField(_("workflow"), max_length=100, unique=True)
    days = models.PositiveIntegerField(
        _("days"), null=True, blank=True, help_text=_("Empty: kept without an end.")
    )
    reason = models.TextField(_("reason"), blank=True)
    set_by_name = models.CharField(_("set by"), max_length=150)
    set_at = models.DateTimeField(_("set at"))

    class Meta:
        ordering = ("workflow",)
        verbose_name = _("retention policy")
        verbose_name_plural = _("retention policies")

    def __str__(self) -> str:
        return self.workflow


class HoldRule(models.Model):
    """A search whose tasks are kept, those that start later too, until a day or until it is ended."""

    search = models.CharField(_("search"), max_length=300)
    time_zone = models.CharField(max_length=64, help_text=_("The zone in which its days are meant."))
    reason = models.TextField(_("reason"))
    owner_name = models.CharField(_("owner"), max_length=150)
    created_at = models.DateTimeField(_("set at"))
    until = models.DateTimeField(_("until"), null=True, blank=True)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    ended_by_name = models.CharField(_("ended by"), max_length=150, blank=True)

    class Meta:
        ordering = ("-id",)
        verbose_name = _("hold by search")
        verbose_name_plural = _("holds by search")

    def __str__(self) -> str:
        return self.search


class PurgePlan(models.Model):
    """A previewed purge. `digest` seals which tasks it takes and what each of them held when it was shown."""

    class State(models.TextChoices):
        """Where it stands; it follows from the times."""

        SHOWN = "shown", _("Previewed")
        ASKED = "asked", _("Waits for a second administrator")
        REFUSED = "refused", pgettext_lazy("a purge", "Refused")
        RUNNING = "running", _("Running")
        CANCELLED = "cancelled", _("Cancelled")
        DONE = "done", _("Done")

    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_name = models.CharField(_("by"), max_length=150)
    created_at = models.DateTimeField(_("previewed at"))
    day = models.DateField(null=True, blank=True, unique=True, help_text=_("Of an automatic run."))
    size = models.PositiveIntegerField(_("tasks"), default=0)
    digest = models.CharField(max_length=64)
    sums = models.JSONField(default=dict)
    kept = models.JSONField(default=list, help_text=_("What was left out, each with the reason."))
    kept_count = models.PositiveIntegerField(default=0)
    asked_at = models.DateTimeField(null=True, blank=True)
    agreed_by_name = models.CharField(_("agreed to by"), max_length=150, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)
    refused_by_name = models.CharField(max_length=150, blank=True)
    refused_why = models.TextField(blank=True)
    begun_at = models.DateTimeField(_("begun at"), null=True, blank=True)
    cancelled_at = models.DateTimeField(null=True, blank=True)
    cancelled_by_name = models.CharField(max_length=150, blank=True)
    finished_at = models.DateTimeField(_("finished at"), null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        verbose_name = _("previewed purge")
        verbose_name_plural = _("previewed purges")

    def __str__(self) -> str:
        return f"{self.pk}"

    @property
    def state(self) -> State:
        if self.refused_at:
            return self.State.REFUSED
        if self.cancelled_at:
            return self.State.CANCELLED
        if self.finished_at:
            return self.State.DONE
        if self.begun_at:
            return self.State.RUNNING
        return self.State.ASKED if self.asked_at else self.State.SHOWN


class PurgePlanTask(models.Model):
    """One task of a previewed purge: what it held, and what came of it. It names the task as text, so that it
    reads the same when the task is gone."""

    class Outcome(models.TextChoices):
        PLANNED = "planned", _("Planned")
        PURGED = "purged", _("Purged")
        KEPT = "kept", _("Kept")

    plan = models.ForeignKey(PurgePlan, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    position = models.PositiveIntegerField()
    public_id = models.CharField(_("task"), max_length=32)
    goal = models.TextField()
    finished_at = models.DateTimeField(null=True, blank=True)
    spent_micro = models.BigIntegerField(default=0)
    version = models.PositiveBigIntegerField(default=0)
    seen = models.JSONField(default=dict)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.PLANNED)
    told = models.TextField(blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("plan", "position"), name="purge_plan_task_once"),
            models.UniqueConstraint(fields=("plan", "public_id"), name="purge_plan_task_by_id"),
        )
        verbose_name = _("task of a previewed purge")
        verbose_name_plural = _("tasks of previewed purges")

    def __str__(self) -> str:
        return self.public_id
