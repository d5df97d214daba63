"""One answer of a person to many questions: which ones, as they were shown, and what came of each."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class BulkDecision(models.Model):
    """A choice of questions; nothing happens before `begun_at`. Then a worker answers them one by one, and goes on
    behind `cursor` after a stop. A sample is a choice whose most unusual questions a person answers first."""

    outcome = models.CharField(max_length=20)
    reason = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    sample = models.BooleanField(default=False)
    bounds = models.JSONField(default=dict, blank=True, help_text=_("What the rest has to keep to."))
    begun_at = models.DateTimeField(null=True, blank=True)
    address = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text=_("From where it was confirmed.")
    )
    total = models.PositiveIntegerField(default=0, help_text=_("Questions to be answered."))
    done = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    cursor = models.PositiveIntegerField(default=0)
    busy_until = models.DateTimeField(null=True, blank=True, help_text=_("One worker at a time."))
    cancelled_at = models.DateTimeField(null=True, blank=True)
    stopped_why = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(
                fields=("busy_until",),
                name="bulk_decision_unfinished",
                condition=Q(finished_at=None, begun_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk}: {self.outcome} by {self.by_name}"


class BulkDecisionRow(models.Model):
    """One question of the choice. `digest` is that of the action as it stood when the person confirmed."""

    class Result(models.TextChoices):
        PENDING = "pending", _("Pending")
        DONE = "done", _("Done")
        REFUSED = "refused", _("Refused")
        EXCLUDED = "excluded", _("Left out")
        SAMPLED = "sampled", _("Shown one by one")

    bulk = models.ForeignKey(BulkDecision, on_delete=models.CASCADE, related_name="rows", db_index=False)
    approval = models.ForeignKey("approvals.Approval", on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)
    result = models.CharField(max_length=10, choices=Result, default=Result.PENDING)
    told = models.TextField(blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("bulk", "position"), name="bulk_decision_once_per_row"),
        )

    def __str__(self) -> str:
        return f"{self.approval_id}: {self.result}"


class Handling(models.Model):
    """How an answer was given: in which way, and how long after its question was shown to this person."""

    class Way(models.TextChoices):
        PAGE = "page", _("On its page")
        BULK = "bulk", _("With many others, without opening it")

    vote = models.OneToOneField("approvals.Vote", on_delete=models.CASCADE, related_name="handling")
    way = models.CharField(max_length=10, choices=Way)
    shown_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        permissions = (
            ("oversee_decisions", _("Can see how decisions are made")),
            ("oversee_people", _("Can see how each person decides")),
        )

    def __str__(self) -> str:
        return f"{self.vote_id}: {self.way}"
