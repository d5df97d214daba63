"""What people and software tell a task, and what it is told: risks, instructions, briefs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from taskboard.models.task import Item, Task


class Risk(models.Model):
    """Something open that a later step or a person must know."""

    BY_ENGINE = "taskboard"
    """Who raises those that need a person: a change that may be there twice."""

    class Severity(models.TextChoices):
        LOW = "low", _("Low")
        MEDIUM = "medium", _("Medium")
        HIGH = "high", _("High")

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="risks")
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    severity = models.CharField(max_length=10, choices=Severity, default=Severity.MEDIUM)
    raised_by = models.CharField(max_length=150)
    raised_at = models.DateTimeField()
    closed_by = models.CharField(max_length=150, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_why = models.TextField(blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("raised_by", "closed_at", "task"), name="risk_by_whom"),)

    def __str__(self) -> str:
        return self.text[:80]


class Instruction(models.Model):
    """A person's message to a running task, taken up at the next step boundary."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="instructions")
    position = models.PositiveIntegerField()
    text = models.TextField()
    added_by = models.CharField(max_length=150)
    added_at = models.DateTimeField()
    taken_up_at = models.DateTimeField(null=True, blank=True)
    taken_up_by = models.CharField(max_length=310, blank=True)

    class Meta:
        ordering = ("position", "id")

    def __str__(self) -> str:
        return self.text[:80]


class Brief(models.Model):
    """A brief as it was written at one moment, kept so that the next one can be compared with it."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="briefs", db_index=False)
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    text = models.TextField()

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=("task", "number"), name="brief_number_once_per_task"),)

    def __str__(self) -> str:
        return f"{self.task_id}: {self.number}"
