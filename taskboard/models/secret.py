"""The secret parameters of a task, encrypted; the task itself holds a mark in their place."""

from django.db import models

from taskboard.models.task import Task


class TaskSecret(models.Model):
    """One secret parameter."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="secrets")
    name = models.CharField(max_length=100)
    sealed = models.TextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("task", "name"), name="secret_once_per_task"),)

    def __str__(self) -> str:
        return self.name
