"""Changes in the outside world, named by their content."""

from django.db import models

from taskboard.models.step import Step
from taskboard.models.task import Task


class Effect(models.Model):
    """An effect key and what it led to; it outlives one task and one revision."""

    key = models.CharField(max_length=300, unique=True)
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.SET_NULL, related_name="effects")
    step = models.OneToOneField(Step, null=True, blank=True, on_delete=models.SET_NULL, related_name="effect")
    external_id = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.key
