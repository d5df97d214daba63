"""One action of a person on many items, carried out in the background, with a result per item."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from taskboard.models.task import Task


class BulkAction(models.TextChoices):
    """What is done to each item."""

    RETRY = "retry", _("Try again")
    "Its failed and blocked steps become claimable again."
    SKIP = "skip", _("Skip")
    "The item goes on without its failed and blocked steps."
    GIVE_UP = "give_up", _("Give up")
    "Its steps whose outcome is unknown count as failed."


class BulkJob(models.Model):
    """Which items, as they were chosen, and how far the job has come. `cursor` is the position of the last item
    that was looked at, so that a job whose worker died goes on behind it."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="bulk_jobs")
    action = models.CharField(max_length=20, choices=BulkAction)
    selection = models.JSONField(default=dict, help_text=_("The filter, or the chosen items."))
    reason = models.TextField(blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    address = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text=_("From where it was asked for.")
    )
    total = models.PositiveIntegerField(
        default=0, help_text=_("Items that were found when it was asked for.")
    )
    done = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    skipped = models.PositiveIntegerField(default=0)
    cursor = models.PositiveBigIntegerField(default=0)
    busy_until = models.DateTimeField(null=True, blank=True, help_text=_("One worker at a time."))
    cancelled_at = models.DateTimeField(null=True, blank=True)
    cancelled_by_name = models.CharField(max_length=150, blank=True)
    stopped_why = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=("busy_until",), name="bulk_unfinished", condition=Q(finished_at=None)),
        )

    def __str__(self) -> str:
        return f"{self.task_id}: {self.action} {self.pk}"

    @property
    def looked_at(self) -> int:
        """How many items have their result."""
        return self.done + self.failed + self.skipped


class BulkResult(models.Model):
    """What came of one item. It names the item as text, so that it reads the same for ever."""

    class Outcome(models.TextChoices):
        DONE = "done", _("Done")
        FAILED = "failed", _("Refused")
        SKIPPED = "skipped", _("Nothing to do")

    job = models.ForeignKey(BulkJob, on_delete=models.CASCADE, related_name="results", db_index=False)
    position = models.PositiveBigIntegerField()
    item_key = models.CharField(max_length=200)
    outcome = models.CharField(max_length=10, choices=Outcome)
    told = models.TextField(blank=True)

    class Meta:
        ordering = ("position",)
        constraints = (models.UniqueConstraint(fields=("job", "position"), name="bulk_result_once_per_item"),)

    def __str__(self) -> str:
        return f"{self.item_key}: {self.outcome}"
