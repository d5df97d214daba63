"""Results of a task: where each is kept, never its content."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from taskboard.models.task import Item, Task


class Artifact(models.Model):
    """A link, or a file in the product's own storage (`managed`)."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="artifacts", db_index=False)
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="artifacts")
    step = models.CharField(max_length=100, blank=True)
    name = models.CharField(max_length=250)
    version = models.PositiveIntegerField(default=1)
    place = models.TextField(help_text=_("A URL, or the path in the storage."))
    managed = models.BooleanField(default=False)
    media_type = models.CharField(max_length=100, blank=True)
    size = models.PositiveBigIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("task", "name", "version")
        constraints = (
            models.UniqueConstraint(
                fields=("task", "name", "version"), name="artifact_version_once_per_task"
            ),
        )
        indexes = (
            models.Index(fields=("task", "id"), name="artifact_by_task"),
            models.Index(fields=("task", "id"), name="artifact_of_whole_task", condition=models.Q(item=None)),
        )

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"
