"""Changes in the outside world, named by their content."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from taskboard.models.step import Step
from taskboard.models.task import Task


class Effect(models.Model):
    """An effect key and what it led to; it outlives one task and one revision. Without `at` it is only
    reserved: a step works on it, or nobody knows yet what came of it."""

    key = models.CharField(max_length=300, unique=True)
    task = models.ForeignKey(Task, null=True, blank=True, on_delete=models.SET_NULL, related_name="effects")
    step = models.OneToOneField(Step, null=True, blank=True, on_delete=models.SET_NULL, related_name="effect")
    made_by = models.CharField(
        max_length=350, blank=True, help_text=_("The idempotency key under which the call went out.")
    )
    external_id = models.CharField(max_length=300, blank=True)
    outputs = models.JSONField(null=True, blank=True, help_text=_("What it handed to later steps."))
    at = models.DateTimeField(null=True, blank=True, help_text=_("When it happened."))

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.key
