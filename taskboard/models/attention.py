"""Which person looks after a row on the page of what needs a person."""

from django.conf import settings
from django.db import models

from taskboard.models.task import Task


class AttentionTaken(models.Model):
    """A row of the page "needs attention" that a person has taken. `kind` and `key` name the row; the key
    holds whatever makes it another row, such as the attempt."""

    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=400)
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    taken_by_name = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "attention taken"
        constraints = (models.UniqueConstraint(fields=("kind", "key"), name="attention_taken_once"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
